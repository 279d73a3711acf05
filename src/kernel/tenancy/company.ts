/** Somebody who called within the last milliseconds is somebody for whose sake others are held back. */
const COMPANY_MS = 1_000;

/** Whether several tenants ask at the same time. */
export class Company {
  private last: number | string | undefined;
  private metAt = -Infinity;

  constructor(private readonly now: () => number = () => performance.now()) {}

  note(tenant: number | string): void {
    if (tenant === this.last) return;
    if (this.last !== undefined) this.metAt = this.now();
    this.last = tenant;
  }

  get isAlone(): boolean {
    return this.now() - this.metAt > COMPANY_MS;
  }
}
