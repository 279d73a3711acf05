export declare function installKey(root: string): string;
export declare function buildKey(root: string): string;
export declare function isInstalled(root: string): boolean;
export declare function isBuilt(root: string): boolean;
export declare function setUp(root: string, options: { build?: boolean | 'only' }): ('installed' | 'built')[];
