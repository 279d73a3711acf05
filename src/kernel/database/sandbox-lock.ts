/**
 * Together with the tenant's id the lock that every tracked write shares and a reset holds exclusively (sandbox_enter
 * in the migrations).
 */
export const SANDBOX_LOCK = 7_430_240;
