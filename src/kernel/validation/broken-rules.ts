import { getMetadataStorage, validateSync, type ValidationError, type ValidatorOptions } from 'class-validator';

const storage = getMetadataStorage();
const rulesOf = storage.getTargetValidationMetadatas.bind(storage);
const known = new Map<unknown, ReturnType<typeof rulesOf>>();

// class-validator goes through every decorated class of the process each time it validates an object
// (docs/decisions/validation.md)
storage.getTargetValidationMetadatas = (type, schema, always, strictGroups, groups) => {
  if (schema || always || strictGroups || groups?.length) return rulesOf(type, schema, always, strictGroups, groups);
  const rules = known.get(type) ?? rulesOf(type, schema, always, strictGroups);
  known.set(type, rules);
  return rules;
};

/** What an instance of a decorated class has that its rules refuse; the rules of a class are looked up once. */
export const brokenRules = (
  instance: object,
  options: Pick<ValidatorOptions, 'whitelist' | 'forbidNonWhitelisted' | 'stopAtFirstError'>,
): ValidationError[] => validateSync(instance, { ...options, forbidUnknownValues: false });
