import type { Reporter, TestModule } from 'vitest/node';

const shown = 10;

/** Prints the files that took longest. */
export default class Slowest implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const lines = modules
      .map((module) => ({ name: `${module.project.name} ${module.relativeModuleId}`, ms: durationOf(module) }))
      .sort((a, b) => b.ms - a.ms)
      .slice(0, shown)
      .map(({ name, ms }) => `${(ms / 1000).toFixed(1).padStart(7)} s  ${name}`);
    if (modules.length > 1) console.log(`\nThe slowest files:\n${lines.join('\n')}\n`);
  }
}

function durationOf(module: TestModule): number {
  const { duration, collectDuration, setupDuration } = module.diagnostic();
  return duration + collectDuration + setupDuration;
}
