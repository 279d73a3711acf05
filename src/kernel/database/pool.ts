import type { Pool } from 'pg';
import type { DataSource } from 'typeorm';

/** The connections below TypeORM, which keeps them to itself. There once the data source is initialized. */
export const poolOf = (dataSource: DataSource): Pool => (dataSource.driver as unknown as { master: Pool }).master;
