import type { Values } from './condition.ts';
import type { Asked } from './policies.ts';

type Call = Omit<Asked, 'principal'>;

const leadingKeys = 'dynamodb:leadingkeys';

/** A call in one line, the same for all that policies answer alike: workspaces, objects and schedules have no names of their own. */
export function shown({ action, resource, values = {} }: Call): string {
  const { [leadingKeys]: keys, ...others } = values;
  const ofOthers = Object.entries(others)
    .filter(([name]) => !name.startsWith('aws:'))
    .map(([name, value]) => ` (${name}=${[value].flat().map(valueShown).sort().join()})`);
  return [`${action} ${placeShown(resource)}`, keysShown(keys), ...ofOthers].join('');
}

/** The call that a line shows, of some workspace. */
export function read(line: string): Call {
  const [action = '', resource = '', ...words] = line.split(' ');
  const rest = words.join(' ');
  const keys = rest.startsWith('[') ? rest.slice(1, rest.indexOf(']')).split(', ') : undefined;
  const values: Values = Object.fromEntries(
    rest
      .split('(')
      .slice(1)
      .map((part) => part.slice(0, part.indexOf(')')).split('='))
      .map(([name = '', value = '']) => [name, value.split(',')]),
  );
  const partitions = keys?.map((key) => key.replace(workspace, '1:live'));
  return { action, resource, values: { ...values, ...(partitions && { [leadingKeys]: partitions }) } };
}

const workspace = '{workspace}';

const valueShown = (value: string) => value.replace(/\/.*/, '/…');

/** Of what has a name of its own for each use only where it lies. */
const placeShown = (resource: string) =>
  resource.replace(
    /^(arn:aws:s3:::[^/]+\/[^/]*\/|arn:aws:scheduler:[^:]*:[^:]*:schedule\/[^/]+\/|arn:aws:logs:(?:[^:]*:){4}log-stream:).*$/,
    '$1…',
  );

/** Keys of tenants as one, but of the turns of slow calls, which who reads takes; of all others the first word. */
function keysShown(keys: string | readonly string[] | undefined): string {
  if (keys === undefined) return '';
  const kinds = [keys]
    .flat()
    .map((key) => (/^\d/.test(key) ? `${workspace}${/#slots$/.exec(key) ?? ''}` : key.replace(/#.*/, '#')));
  return ` [${[...new Set(kinds)].sort().join(', ')}]`;
}
