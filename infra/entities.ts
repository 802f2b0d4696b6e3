import { globSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Entity } from '#lib/table/entity.ts';

const root = join(import.meta.dirname, '..');
const lists = ['all', 'naming-companies', 'naming-contacts'];
const files = globSync('lib/entities/*.ts', { cwd: root }).filter((file) => !lists.includes(basename(file, '.ts')));

/** The name of an entity, and the comment above its declaration. */
function commented(source: string, start: number): [name: string, comment: string] {
  const [, name = ''] = /name: '([\w-]+)'/.exec(source.slice(start)) ?? [];
  const above = source.slice(0, start).trimEnd();
  return [name, above.endsWith('*/') ? above.slice(above.lastIndexOf('/**') + 3, -2) : ''];
}

/** Its first sentence, as the end of one. */
function meaningIn(comment: string): string {
  const [sentence = ''] = comment
    .replaceAll(/\n \*/g, '')
    .trim()
    .split(/\.(?= |$)/);
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}

/** Returns the meaning of each entity: the first sentence of the comment at its declaration, or an empty text. */
export function entityMeanings(): Map<string, string> {
  const sources = [...files, 'lib/auth/key.ts', 'lib/table/saga.ts'].map((file) =>
    readFileSync(join(root, file), 'utf8'),
  );
  return new Map(
    sources.flatMap((source) =>
      [...source.matchAll(/^export const \w+ = entity\(/gm)].map(({ index }): [string, string] => {
        const [name, comment] = commented(source, index);
        return [name, meaningIn(comment)];
      }),
    ),
  );
}

const channels = globSync('lib/core/*-channel.ts', { cwd: root })
  .map((file) => basename(file, '-channel.ts'))
  .sort();

const isEntity = (value: unknown): value is Entity =>
  typeof value === 'object' && value !== null && 'name' in value && 'schema' in value;

/** Exports of a file of lib/entities that are listed. */
interface Listed {
  file: string;
  names: readonly string[];
}

async function declared(isWanted: (of: Entity) => boolean): Promise<Listed[]> {
  const all = files.map(async (path): Promise<Listed> => {
    const exported = Object.entries((await import(pathToFileURL(join(root, path)).href)) as object);
    const names = exported.filter(([, value]) => isEntity(value) && isWanted(value)).map(([name]) => name);
    return { file: basename(path, '.ts'), names: names.sort() };
  });
  return (await Promise.all(all)).filter(({ names }) => names.length > 0);
}

const naming =
  (noun: string) =>
  ({ references = [] }: Entity) =>
    references.some(({ to }) => to === noun);

const importsOf = (of: readonly Listed[]) =>
  of
    .toSorted((a, b) => (a.file < b.file ? -1 : 1))
    .map(({ file, names }) => `import { ${names.join(', ')} } from './${file}.ts';\n`)
    .join('');
const namesOf = (of: readonly Listed[]) =>
  of
    .flatMap(({ names }) => names)
    .sort()
    .map((name) => `  ${name},\n`)
    .join('');

const maxLine = 120;

/** A list as it is formatted: in one line where that fits. */
function declaring(start: string, listed: readonly Listed[]): string {
  const names = namesOf(listed);
  const line = `${start} [${names.trim().replaceAll(/,\n */g, ', ').replace(/,$/, '')}];`;
  return line.length <= maxLine ? line : `${start} [\n${names}];`;
}

const renderNaming = (
  nouns: string,
  name: string,
  listed: readonly Listed[],
) => `import type { Entity } from '#lib/table/entity.ts';
${importsOf(listed)}
/**
 * Entities that refer to ${nouns}: a function that merges or renames carries no others. Made of their \`references\` by
 * \`npm run entities\`.
 */
${declaring(`export const ${name}: readonly Entity[] =`, listed)}
`;

/** The lists in lib/entities, by their files: a test fails when one drifts. */
export async function renderEntityLists(): Promise<Record<string, string>> {
  const companies = await declared(naming('company'));
  const contacts = await declared(naming('contact'));
  const others = await declared((of) => !naming('contact')(of));
  return {
    'lib/entities/naming-contacts.ts': renderNaming('contacts', 'namingContacts', contacts),
    'lib/entities/naming-companies.ts': renderNaming('companies', 'namingCompanies', companies),
    'lib/entities/all.ts': `import type { Entity } from '#lib/table/entity.ts';
${importsOf([...others, { file: 'naming-contacts', names: ['namingContacts'] }])}
/** Entities of a workspace except keys, and except sagas that are under way. Made of this folder by \`npm run entities\`. */
export const entities: readonly Entity[] = [
  ...namingContacts,
${namesOf(others)}];
`,
  };
}

const polling = globSync('lib/transport/receiving/*-user.ts', { cwd: root })
  .map((file) => basename(file, '-user.ts'))
  .sort();

const capitalized = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);

/** The lists of channels, by their files; the files of lib/entities cannot be loaded without them. */
export const renderChannelLists = (): Record<string, string> => ({
  'lib/core/channels.ts': `${channels.map((name) => `import { ${name} } from './${name}-channel.ts';\n`).join('')}
/** Every channel through which accounts write to people, by its folder, in the order in which documents name them. Made by \`npm run entities\`. */
export const descriptors = { ${channels.join(', ')} };
`,
  'lib/transport/receiving/user-pollers.ts': `/**
 * Pollers of the accounts of persons, by channel; a function loads the one that it needs. Made of the files
 * \`<channel>-user.ts\` by \`npm run entities\`.
 */
export const userPollers = {
${polling
  .map((name) => `  ${name}: async () => (await import('./${name}-user.ts')).poll${capitalized(name)},\n`)
  .join('')}};
`,
});

const write = async (lists: Record<string, string>): Promise<void> => {
  for (const [file, text] of Object.entries(lists)) await writeFile(join(root, file), text);
};

if (import.meta.main) {
  await write(renderChannelLists());
  await write(await renderEntityLists());
}
