import { spawn } from 'node:child_process';

// Where there is no `sh`: the engine ends when the pipe to us does, however we end.
const [command = '', ...args] = process.argv.slice(2);
const engine = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'], windowsHide: true });
process.stdin.resume().once('close', () => engine.kill());
engine.once('error', (error) => {
  console.error(error.message);
  process.exit(1);
});
engine.once('exit', (code) => process.exit(code ?? 1));
