/** `slow-deliveries` to `SlowDeliveries`, as logical ids are written. */
export const pascalCase = (name: string) => name.replace(/(?:^|-)(.)/g, (_, letter: string) => letter.toUpperCase());
