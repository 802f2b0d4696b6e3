import { createWriteStream, mkdirSync, type WriteStream } from 'node:fs';
import { join } from 'node:path';
import type { InvocationError, Output } from './invocation.ts';

/** Where one function's output goes: all of it to a file, what went wrong also to standard error. */
interface FunctionLog {
  write(output: Output): void;
  invocationFailed(error: InvocationError): void;
}

interface LogLine {
  level?: string;
  message?: string;
  error?: { stack?: string; name?: string; message?: string };
}

type Listener = (functionName: string, line: string) => void;

export interface FunctionLogs {
  of(functionName: string): FunctionLog;
  /** From now on whoever is given is told each line that a function writes, in place of who was before. */
  follow(listener: Listener): void;
  close(): Promise<unknown>;
}

/** Opens one log file per function in `folder`, emptied at each start. */
export function openFunctionLogs(folder: string, report: (text: string) => void): FunctionLogs {
  mkdirSync(folder, { recursive: true });
  let listener: Listener = () => {};
  const files = new Map<string, WriteStream>();
  const fileOf = (name: string) => {
    const file = files.get(name) ?? createWriteStream(join(folder, `${name}.log`));
    files.set(name, file);
    return file;
  };
  return {
    of(name) {
      const write = (line: string) => fileOf(name).write(`${line}\n`);
      const both = (text: string) => {
        write(text);
        report(`[${name}] ${text}`);
      };
      return {
        write({ text, isError }) {
          for (const line of text.trimEnd().split('\n')) {
            write(line);
            listener(name, line);
            const problem = problemIn(line) ?? (isError ? line : undefined);
            if (problem !== undefined) report(`[${name}] ${problem}`);
          }
        },
        invocationFailed: ({ errorType, errorMessage, trace }) =>
          both(trace.length > 0 ? trace.join('\n') : `${errorType}: ${errorMessage}`),
      };
    },
    follow: (next) => {
      listener = next;
    },
    close: () => Promise.all([...files.values()].map((file) => new Promise<void>((done) => file.end(done)))),
  };
}

/** Returns the readable text of a structured error line. */
function problemIn(line: string): string | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    const { level, message = '', error } = JSON.parse(line) as LogLine;
    if (level !== 'ERROR' && level !== 'CRITICAL') return undefined;
    const stack = error?.stack ?? (error && `${error.name}: ${error.message}`);
    return [`${level} ${message}`, ...(stack ? [stack] : [])].join('\n');
  } catch {
    return undefined;
  }
}
