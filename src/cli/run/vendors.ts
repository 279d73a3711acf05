/** The vendors' hosts that a run leads to the server. Their content hosts (slack-edge.com and the like) are not. */
export type Vendor = 'slack' | 'linear';

export const VENDORS: readonly Vendor[] = ['slack', 'linear'];

const HOSTS: Readonly<Record<Vendor, RegExp>> = {
  slack: /^(?:[^.]+\.)*slack\.com\.?$/i,
  linear: /^(?:[^.]+\.)*linear\.app\.?$/i,
};

export const isVendorHost = (host: string, vendors: readonly Vendor[]): boolean =>
  vendors.some((vendor) => HOSTS[vendor].test(host));
