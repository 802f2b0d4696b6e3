import { fork } from 'node:child_process';
import { StartProblem } from './problem.ts';

/**
 * Runs a module in a process of its own, whose memory is free again afterwards, and gives it a message. Resolves when it has ended,
 * with what it has sent; what it wrote to standard error is why it failed.
 */
export function runApart(module: URL, env: NodeJS.ProcessEnv, message: object): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const child = fork(module, { env, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
    let errors = '';
    let sent: unknown;
    child.stderr?.on('data', (chunk) => {
      errors += chunk;
    });
    child.once('message', (told) => {
      sent = told;
    });
    child.once('error', reject);
    child.once('close', (code) => (code === 0 ? resolve(sent) : reject(new StartProblem(errors.trim()))));
    child.send(message);
  });
}
