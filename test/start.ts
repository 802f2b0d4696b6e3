import { existsSync, mkdirSync, rmSync, watch } from 'node:fs';
import { join } from 'node:path';
import { readOptions } from '#infra/local/options.ts';
import { main } from '#infra/local/start.ts';

/**
 * `npm start` as tests start it: besides, a file that appears in DATA_DIR/kill kills the function of that name, and is gone when
 * that is done.
 */
const { dataDir } = readOptions(process.argv.slice(2), process.env);
const requests = join(dataDir, 'kill');
rmSync(requests, { recursive: true, force: true });
mkdirSync(requests, { recursive: true });
const system = main();
watch(requests, async (_event, name) => {
  // That the request is gone is an event, too.
  if (!name || !existsSync(join(requests, name))) return;
  await (await system).kill(name);
  rmSync(join(requests, name), { force: true });
});
