import type { Reporter, TestModule } from 'vitest/node';

const shown = 10;

/** Prints the files that took longest, and the tests that needed a second run. */
export default class Slowest implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const lines = modules
      .map((module) => ({ name: `${module.project.name} ${module.relativeModuleId}`, ms: durationOf(module) }))
      .sort((a, b) => b.ms - a.ms)
      .slice(0, shown)
      .map(({ name, ms }) => `${(ms / 1000).toFixed(1).padStart(7)} s  ${name}`);
    for (const module of modules)
      for (const test of module.children.allTests())
        if ((test.diagnostic()?.retryCount ?? 0) > 0)
          console.log(`needed a second run: ${module.relativeModuleId} > ${test.fullName}`);
    if (modules.length > 1) console.log(`\nThe slowest files:\n${lines.join('\n')}\n`);
  }
}

function durationOf(module: TestModule): number {
  const { duration, collectDuration, setupDuration } = module.diagnostic();
  return duration + collectDuration + setupDuration;
}
