interface Resource {
  Type: string;
  Properties?: Record<string, unknown>;
  DeletionPolicy?: string;
}

export interface Template {
  Resources: Record<string, Resource>;
  Outputs?: Record<string, { Export?: { Name: string } }>;
}

/** What CloudFormation decides by: of a resource its type, the name that the template fixes, whether it stays, and what only making it anew changes. */
interface OutlinedResource {
  type: string;
  name?: string;
  isRetained?: true;
  fixed?: string;
}

export interface Outline {
  resources: Record<string, OutlinedResource>;
  outputs: string[];
  exports: string[];
  /** Names of exports of other stacks. */
  imports: string[];
  /** `<stack>.<output>` */
  reads: string[];
}

/** By the types of AWS that hold data: what replaces them when it changes (CloudFormation's reference, "Update requires: Replacement"). */
const createOnly: Record<string, readonly string[]> = {
  'AWS::DynamoDB::Table': ['TableName', 'KeySchema', 'LocalSecondaryIndexes', 'ImportSourceSpecification'],
  'AWS::S3::Bucket': ['BucketName', 'ObjectLockEnabled'],
  'AWS::KMS::Key': ['KeySpec', 'MultiRegion', 'Origin'],
};

const nameOf = ({ Type, Properties = {} }: Resource): string | undefined => {
  const kind = Type.split('::').at(-1);
  const name = Properties['Name'] ?? Properties[`${kind}Name`];
  return typeof name === 'string' && !name.startsWith('$') ? name : undefined;
};

/** The part of a template that the simulation reads. */
export function outlineOf({ Resources, Outputs = {} }: Template): Outline {
  const resources = Object.entries(Resources).map(([id, resource]) => {
    const name = nameOf(resource);
    const only = createOnly[resource.Type]?.map((property) => resource.Properties?.[property]);
    const outlined: OutlinedResource = {
      type: resource.Type,
      ...(name !== undefined && { name }),
      ...(/^Retain/.test(resource.DeletionPolicy ?? '') && { isRetained: true as const }),
      ...(only && { fixed: JSON.stringify(only) }),
    };
    return [id, outlined] as const;
  });
  const text = JSON.stringify(Resources);
  const found = (pattern: RegExp) => [...new Set([...text.matchAll(pattern)].map(([, ...parts]) => parts.join('.')))];
  return {
    resources: Object.fromEntries(resources),
    outputs: Object.keys(Outputs),
    exports: Object.values(Outputs).flatMap(({ Export }) => (Export ? [Export.Name] : [])),
    imports: found(/"Fn::ImportValue":"([^"]+)"/g),
    reads: found(/"Fn::GetStackOutput":\{"StackName":"(\w+)",(?:"Region":\{[^}]+\},)?"OutputName":"(\w+)"/g),
  };
}

class Refused extends Error {}

/** One account and region, as far as CloudFormation refuses something for what is there already. */
export class Account {
  readonly stacks = new Map<string, Outline>();
  /** `<type> <name>` of what stayed when its stack went. */
  readonly #left = new Set<string>();
  /** What holds data and was made anew, or is in no stack any more. */
  readonly replaced: string[] = [];

  /** Creates or updates a stack. */
  deploy(stack: string, next: Outline): void {
    const before = this.stacks.get(stack);
    this.#checkReferences(stack, next);
    const taken = this.#names(stack);
    for (const [id, { type, name }] of Object.entries(next.resources)) {
      if (name === undefined) continue;
      const isOwn = before?.resources[id]?.name === name;
      if (taken.has(`${type} ${name}`) || (!isOwn && this.#left.has(`${type} ${name}`)))
        throw new Refused(`${stack}/${id}: ${name} already exists`);
    }
    for (const [id, old] of Object.entries(before?.resources ?? {})) {
      const resource = next.resources[id];
      if (resource && resource.type !== old.type)
        throw new Refused(`${stack}/${id}: the type of a resource cannot change`);
      if (resource === undefined && old.isRetained) this.#leave(old);
      const holdsData = old.type in createOnly;
      if (holdsData && (resource === undefined || resource.fixed !== old.fixed)) this.replaced.push(`${stack}/${id}`);
    }
    this.stacks.set(stack, next);
  }

  /** A first creation that fails: what is retained stays, all else goes with the stack. */
  failToCreate(stack: string, next: Outline): void {
    this.deploy(stack, next);
    this.destroy(stack);
  }

  destroy(stack: string): void {
    const gone = this.stacks.get(stack);
    if (!gone) throw new Refused(`there is no stack ${stack}`);
    this.#checkExports(stack, []);
    for (const resource of Object.values(gone.resources)) if (resource.isRetained) this.#leave(resource);
    this.stacks.delete(stack);
  }

  #leave({ type, name }: OutlinedResource): void {
    if (name !== undefined) this.#left.add(`${type} ${name}`);
  }

  #names(except: string): Set<string> {
    const others = [...this.stacks]
      .filter(([stack]) => stack !== except)
      .flatMap(([, { resources }]) => Object.values(resources));
    return new Set(others.flatMap(({ type, name }) => (name === undefined ? [] : [`${type} ${name}`])));
  }

  #checkReferences(stack: string, { imports, reads, exports }: Outline): void {
    const offered = new Set(
      [...this.stacks].filter(([other]) => other !== stack).flatMap(([, other]) => other.exports),
    );
    for (const name of imports) if (!offered.has(name)) throw new Refused(`${stack}: nothing exports ${name}`);
    for (const name of exports) if (offered.has(name)) throw new Refused(`${stack}: ${name} is exported already`);
    for (const read of reads) {
      const [from = '', output = ''] = read.split('.');
      if (!this.stacks.get(from)?.outputs.includes(output)) throw new Refused(`${stack}: there is no ${read}`);
    }
    this.#checkExports(stack, exports);
  }

  /** An export that another stack imports stays. */
  #checkExports(stack: string, kept: readonly string[]): void {
    for (const name of this.stacks.get(stack)?.exports ?? []) {
      const user = [...this.stacks].find(([other, { imports }]) => other !== stack && imports.includes(name));
      if (user && !kept.includes(name)) throw new Refused(`${stack}: ${name} is in use by ${user[0]}`);
    }
  }
}
