import { Expose, Transform } from 'class-transformer';

/** A body field that may come under another name as well; its own name wins. */
export const Alias =
  (...names: readonly string[]): PropertyDecorator =>
  (target, property) => {
    Expose()(target, property);
    Transform(({ obj }: { obj: Record<string, unknown> }) => {
      for (const name of [property as string, ...names]) {
        if (obj[name] !== undefined && obj[name] !== null) return obj[name];
      }
      return undefined;
    })(target, property);
  };
