import { useLoaded } from '../app/load.ts';
import { Failure } from '../parts/failure.tsx';
import { Head } from '../parts/head.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { loadText } from './loading.ts';
import { Markdown } from './markdown.tsx';

/** How agents are connected, with the address of this deployment. */
export const Mcp = () => (
  <Guide name="mcp.md" change={(text) => text.replaceAll('https://api.example.com', location.origin)} />
);

export const Changelog = () => <Guide name="changelog.md" />;

function Guide({
  name,
  change = (text) => text,
}: {
  name: 'mcp.md' | 'changelog.md';
  change?: (text: string) => string;
}) {
  const { data, error, reload } = useLoaded(() => loadText(name), [name]);
  const [, title = '', text = ''] = /^# (.+)\n([\s\S]*)$/.exec(data ?? '') ?? [];
  if (error !== undefined) return <Failure error={error} again={reload} />;
  return (
    <>
      <Head title={title || 'Reference'} />
      {data === undefined ? (
        <Skeleton lines={8} />
      ) : (
        <div class="prose guide">
          <Markdown text={change(text)} />
        </div>
      )}
    </>
  );
}
