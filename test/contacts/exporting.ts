import { exporting } from '#lib/privacy/export/file.ts';
import { finishSaga } from '#lib/table/transact.ts';

/** Writes an export that was begun, in a process of its own; says how much memory that took at most. */
const { tenant, saga } = JSON.parse(process.argv[2] as string);

await finishSaga(tenant, exporting as never, saga, async () => true);
process.stdout.write(String(process.resourceUsage().maxRSS * 1024));
