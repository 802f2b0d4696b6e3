import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const document = join(root, 'openapi.json');
const modules = join(root, 'node_modules');

/** Where `npm run test:clients` puts the generators that npm does not have. */
const python = join(modules, '.generators');
const inPython = (name: string) => join(python, 'bin', name);

/** With their exact versions; the client for Python needs the rest. */
const packages = [
  'openapi-python-client==0.29.1',
  'openapi-generator-cli==7.26.0',
  'pydantic==2.12.4',
  'urllib3==2.5.0',
  'python-dateutil==2.9.0.post0',
];

const isHere = (command: string, ...args: string[]) => spawnSync(command, args).status === 0;

async function installGenerators() {
  if (!isHere('python3', '--version')) throw new Error('the generators need Python 3');
  await run('python3', ['-m', 'venv', python]);
  await run(inPython('pip'), ['install', '--quiet', ...packages], { timeout: 600_000 });
}

/** One generator and the program that uses what it makes, in a folder of its own. */
export interface ClientOf {
  name: string;
  /** What it takes that is not here; undefined when all is. */
  missing: string | undefined;
  /** Generates the client into the folder, and makes the program ready. Raises what the tools say. */
  make(folder: string): Promise<void>;
  /** The command that runs the program there. */
  command(folder: string): [file: string, ...args: string[]];
  /** Fields of its output that the generator has no means for. */
  without: readonly string[];
}

const programs = join(import.meta.dirname, 'clients');

/** Runs a generator of npm. */
const generate = (cli: string, ...args: string[]) =>
  output(process.execPath, ['--import', join(root, 'infra/typescript-api.ts'), join(modules, cli), ...args]);

const strict = {
  compilerOptions: {
    strict: true,
    noEmit: true,
    target: 'ES2022',
    module: 'ESNext',
    moduleResolution: 'Bundler',
    lib: ['ES2022', 'DOM', 'DOM.Iterable'],
    types: ['node'],
    allowImportingTsExtensions: true,
  },
  include: ['**/*.ts'],
  exclude: ['node_modules'],
};

/** Compiles the client in the folder with the program that uses it, and makes one file of them. */
async function compile(folder: string, program: string) {
  await cp(join(programs, program), join(folder, 'program.ts'));
  await symlink(modules, join(folder, 'node_modules'));
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(strict));
  await output(process.execPath, [join(modules, 'typescript/bin/tsc'), '-p', folder]);
  const { build } = await import('esbuild');
  const outfile = join(folder, 'program.mjs');
  await build({ entryPoints: [join(folder, 'program.ts')], outfile, bundle: true, platform: 'node', format: 'esm' });
}

/** What a command says on both streams; raises it when the command fails. */
async function output(file: string, args: readonly string[], options: { cwd?: string; env?: NodeJS.ProcessEnv } = {}) {
  try {
    const { stdout, stderr } = await run(file, args, { ...options, maxBuffer: 2 ** 26 });
    return `${stdout}${stderr}`;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${file} ${args.join(' ')}\n${stdout}${stderr}`.slice(0, 10_000), { cause: error });
  }
}

const ofNode = {
  missing: undefined,
  command: (folder: string): [string, string] => [process.execPath, join(folder, 'program.mjs')],
  without: [],
};

const openapiFetch: ClientOf = {
  ...ofNode,
  name: 'openapi-typescript and openapi-fetch',
  async make(folder) {
    const schema = join(folder, 'schema.ts');
    await generate('openapi-typescript/bin/cli.js', document, '-o', schema, '--default-non-nullable', 'false');
    await compile(folder, 'openapi-fetch.ts');
  },
};

const heyApi: ClientOf = {
  ...ofNode,
  name: 'hey-api',
  async make(folder) {
    await generate('@hey-api/openapi-ts/dist/run.mjs', '-i', document, '-o', join(folder, 'client'));
    await compile(folder, 'hey-api.ts');
  },
};

const missingGenerators = existsSync(inPython('openapi-generator-cli'))
  ? undefined
  : 'npm run test:clients installs it';

const openapiPythonClient: ClientOf = {
  name: 'openapi-python-client',
  missing: missingGenerators,
  async make(folder) {
    const to = join(folder, 'crm');
    const args = ['generate', '--path', document, '--output-path', to, '--meta', 'none', '--fail-on-warning'];
    const env = { ...process.env, PATH: `${join(python, 'bin')}:${process.env['PATH']}` };
    await output(inPython('openapi-python-client'), args, { env });
    await cp(join(programs, 'openapi_python_client.py'), join(folder, 'program.py'));
  },
  command: (folder) => [inPython('python'), join(folder, 'program.py')],
  // It writes the pairs of an object in a query without the object's name.
  without: ['found'],
};

const missingJava = missingGenerators ?? (isHere('java', '-version') ? undefined : 'it needs Java 17');

/**
 * Runs openapi-generator, which must not write two things into one file. Of 3.1 it makes webhooks as calls that do not
 * compile, so they are left out.
 */
async function openapiGenerator(generator: string, folder: string, ...options: string[]) {
  const webhooksToo = ['--global-property', 'apis,models,supportingFiles'];
  const args = ['generate', '-g', generator, '-i', document, '-o', folder, ...webhooksToo, ...options];
  const said = await output(inPython('openapi-generator-cli'), args);
  if (/collision/i.test(said)) throw new Error(said);
}

const openapiGeneratorPython: ClientOf = {
  name: 'openapi-generator python',
  missing: missingJava,
  async make(folder) {
    await openapiGenerator('python', folder);
    const everything =
      'import pkgutil, importlib, openapi_client as c\nfor m in pkgutil.walk_packages(c.__path__, "openapi_client."): importlib.import_module(m.name)';
    await output(inPython('python'), ['-c', everything], { cwd: folder });
    await cp(join(programs, 'openapi_generator.py'), join(folder, 'program.py'));
  },
  command: (folder) => [inPython('python'), join(folder, 'program.py')],
  // Its type of an object of texts in a query is one of objects.
  without: ['found'],
};

const openapiGeneratorFetch: ClientOf = {
  ...ofNode,
  name: 'openapi-generator typescript-fetch',
  missing: missingJava,
  async make(folder) {
    await openapiGenerator('typescript-fetch', join(folder, 'client'));
    await compile(folder, 'typescript-fetch.ts');
  },
  // It knows no union of unions.
  without: ['created'],
};

const openapiGeneratorGo: ClientOf = {
  name: 'openapi-generator go',
  missing: missingJava ?? (isHere('go', 'version') ? undefined : 'it needs Go'),
  async make(folder) {
    // The values of enums are one namespace in Go, and an event is told by its kind.
    const properties = 'enumClassPrefix=true,useOneOfDiscriminatorLookup=true';
    await openapiGenerator('go', folder, `--additional-properties=${properties}`);
    await mkdir(join(folder, 'program'));
    await cp(join(programs, 'openapi_generator.go'), join(folder, 'program/main.go'));
    await output('go', ['build', '-o', 'client', './program'], { cwd: folder });
  },
  command: (folder) => [join(folder, 'client')],
  without: ['found'],
};

export const clients: readonly ClientOf[] = [
  openapiFetch,
  heyApi,
  openapiPythonClient,
  openapiGeneratorPython,
  openapiGeneratorFetch,
  openapiGeneratorGo,
];

if (import.meta.main) await installGenerators();
