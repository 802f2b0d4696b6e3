import { existsSync } from 'node:fs';
import { copyFile, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { findingsOf, lastRuns } from '#infra/permissions.ts';

/** Fails the run for calls that a role does not allow, and keeps the calls of all tests of a tier for `npm run permissions`. */
export async function checkPermissions(project: TestProject, calls: string, assembly: string): Promise<void> {
  if (!existsSync(calls)) return;
  const { testFiles } = await project.globTestFiles();
  const { state, config } = project.vitest;
  const run = state.getFiles().filter(({ projectName }) => projectName === project.name);
  if (run.length >= testFiles.length && config.testNamePattern === undefined) {
    await mkdir(lastRuns, { recursive: true });
    await copyFile(calls, join(lastRuns, `${project.name}.jsonl`));
  }
  const { denied } = findingsOf([calls], assembly);
  await rm(calls);
  if (denied.length === 0) return;
  console.error(`\nPermissions (docs/permissions.md):\n${denied.map((line) => `  ${line}\n`).join('')}`);
  process.exitCode = 1;
}
