/** References of a CloudFormation value to other resources. */
export interface References {
  ref(logicalId: string): unknown;
  attribute(logicalId: string, name: string): unknown;
  stackOutput(stack: string, output: string): unknown;
  condition(name: string): boolean;
}

type Intrinsic = (argument: unknown, references: References) => unknown;

const intrinsics: Record<string, Intrinsic> = {
  Ref: (id, { ref }) => ref(id as string),
  'Fn::GetAtt': (argument, { attribute }) => {
    const [id, ...name] = typeof argument === 'string' ? argument.split('.') : (argument as string[]);
    return attribute(id as string, name.join('.'));
  },
  'Fn::Join': (argument, references) => {
    const [separator, parts] = resolve(argument, references) as [string, unknown[]];
    return parts.join(separator);
  },
  'Fn::Sub': (argument, references) => {
    const [text, given] = (Array.isArray(argument) ? argument : [argument, {}]) as [string, Record<string, unknown>];
    return text.replace(/\$\{(!?)([^{}]+)\}/g, (whole, literal: string, name: string) => {
      if (literal) return whole.replace('!', '');
      if (Object.hasOwn(given, name)) return String(resolve(given[name], references));
      return String(name.includes('.') ? resolve({ 'Fn::GetAtt': name }, references) : references.ref(name));
    });
  },
  'Fn::GetStackOutput': (argument, references) => {
    const { StackName, OutputName } = argument as Record<string, string>;
    return references.stackOutput(String(StackName), String(OutputName));
  },
  'Fn::Select': (argument, references) => {
    const [index, list] = resolve(argument, references) as [number | string, unknown[]];
    return list[Number(index)];
  },
  'Fn::Split': (argument, references) => {
    const [separator, text] = resolve(argument, references) as [string, string];
    return text.split(separator);
  },
  'Fn::If': (argument, references) => {
    const [condition, yes, no] = argument as [string, unknown, unknown];
    return resolve(references.condition(condition) ? yes : no, references);
  },
};

/** A template's value with every intrinsic function replaced by what it stands for. */
export function resolve(value: unknown, references: References): unknown {
  if (Array.isArray(value)) return value.map((item) => resolve(item, references)).filter((item) => item !== undefined);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  const [name, argument] = entries[0] ?? [];
  if (entries.length === 1 && name !== undefined) {
    const intrinsic = intrinsics[name];
    if (intrinsic) return intrinsic(argument, references);
    if (name.startsWith('Fn::')) throw new Error(`the local cloud does not know ${name}`);
  }
  return Object.fromEntries(
    entries.flatMap(([key, item]) => {
      const resolved = resolve(item, references);
      return resolved === undefined ? [] : [[key, resolved]];
    }),
  );
}

/** Returns a template's value with each intrinsic function replaced for which there is something else. */
export function replaced<Value>(value: Value, find: (intrinsic: string, argument: unknown) => unknown): Value {
  const replace = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(replace);
    if (typeof part !== 'object' || part === null) return part;
    const entries = Object.entries(part);
    const [name, argument] = entries[0] ?? [];
    const found = entries.length === 1 && name !== undefined ? find(name, argument) : undefined;
    return found ?? Object.fromEntries(entries.map(([key, item]) => [key, replace(item)]));
  };
  return replace(value) as Value;
}
