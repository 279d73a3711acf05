import type { Pool } from 'pg';
import type { DataSource } from 'typeorm';

/** TypeORM's connection pool, which it does not expose. Exists once the data source is initialized. */
export const poolOf = (dataSource: DataSource): Pool => (dataSource.driver as unknown as { master: Pool }).master;
