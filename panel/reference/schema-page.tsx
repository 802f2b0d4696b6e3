import type { Document, Schema } from '../document/document.ts';
import { Head } from '../parts/head.tsx';
import { linkInto } from './links.ts';
import { Markdown } from './markdown.tsx';
import { SchemaTree } from './schema.tsx';

/** A schema that others share. */
export const SchemaPage = ({ document, name, schema }: { document: Document; name: string; schema: Schema }) => (
  <>
    <Head title={name} above={<a href={linkInto('/home')}>Schemas</a>} />
    <div class="prose">
      {schema.description && !schema.enum && <Markdown text={schema.description} />}
      <SchemaTree document={document} schema={schema} />
    </div>
  </>
);
