import { commonOptions, type Options, type Verb } from './verb.ts';

function listed(options: Options): string {
  const lines = Object.entries(options).map(([name, { short, value, help }]) => {
    const names = `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`;
    return `  ${names.padEnd(24)}  ${help}`;
  });
  return lines.join('\n');
}

export function helpOf(name: string, { summary, usage, more, options }: Verb): string {
  const own = Object.keys(options).length > 0 ? `\n\n${listed(options)}` : '';
  return [
    `usage: crm ${name} ${usage}`.trimEnd(),
    `\n\n${summary}${own}\n\n${listed(commonOptions)}`,
    more === undefined ? '' : `\n\n${more}`,
  ].join('');
}

export function overview(verbs: ReadonlyMap<string, Verb>): string {
  const lines = [...verbs].map(([name, { summary }]) => `  ${name.padEnd(14)}  ${summary}`);
  return [
    'usage: crm <verb> [options]',
    lines.join('\n'),
    'crm <verb> --help says more. Exit codes: 0 done, 1 refused or failed, 2 not understood.',
  ].join('\n\n');
}
