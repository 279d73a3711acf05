/** auth.test takes no arguments. */
export class AuthTestArgs {}
