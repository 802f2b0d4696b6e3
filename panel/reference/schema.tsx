import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import {
  type Document,
  limitsIn,
  listedIn,
  nameIn,
  resolved,
  type Schema,
  textBeforeList,
} from '../document/document.ts';
import { Badge } from '../parts/badge.tsx';
import { linkInto } from './links.ts';
import { inline, Markdown } from './markdown.tsx';

interface Shape {
  /** Of a schema that others share. */
  name?: string;
  schema: Schema;
  isNullable: boolean;
}

const isNull = ({ type }: Schema) => type === 'null';

/** A schema with what it refers to, and without the null that it may be instead. */
function shapeOf(document: Document, given: Schema): Shape {
  const { anyOf = [], oneOf = [], ...rest } = given;
  const variants = [...anyOf, ...oneOf];
  const [only, ...others] = variants.filter((one) => !isNull(one));
  if (only && others.length === 0) {
    const shape = shapeOf(document, { ...only, ...rest });
    return { ...shape, isNullable: shape.isNullable || variants.length > 1 };
  }
  if (given.$ref !== undefined) {
    const name = nameIn(given.$ref);
    return { ...shapeOf(document, resolved(document, given)), name };
  }
  return { schema: given, isNullable: variants.some(isNull) || [given.type].flat().includes('null') };
}

/** A type in words, with a link where it has a name. */
function Type({ document, of }: { document: Document; of: Schema }): ComponentChildren {
  const { name, schema, isNullable } = shapeOf(document, of);
  const variants = variantsOf(schema);
  return (
    <>
      {name !== undefined ? (
        <a href={linkInto(`/schemas/${name}`)}>{name}</a>
      ) : schema.items ? (
        <>
          array of <Type document={document} of={schema.items} />
        </>
      ) : variants.length > 0 ? (
        'one of'
      ) : (
        plainType(schema)
      )}
      {isNullable && ' or null'}
    </>
  );
}

function plainType({ type, format, const: constant, enum: values, properties }: Schema): string {
  if (constant !== undefined) return JSON.stringify(constant);
  const types = [type ?? (properties ? 'object' : values ? typeof values[0] : 'any')].flat();
  const named = types.filter((one) => one !== 'null').join(' or ');
  return format ? `${named} (${format})` : named;
}

const variantsOf = ({ anyOf = [], oneOf = [] }: Schema): Schema[] => [...anyOf, ...oneOf].filter((one) => !isNull(one));

/** What can be opened in a schema: its fields, its items' or its variants. */
function partsOf(document: Document, given: Schema): { inner: Schema; title: string } | undefined {
  const { name, schema } = shapeOf(document, given);
  const title = name ?? schema.title;
  if (Object.keys(schema.properties ?? {}).length > 0) return { inner: given, title: title ?? 'fields' };
  if (variantsOf(schema).length > 0) return { inner: given, title: title ?? 'variants' };
  if (schema.items) return partsOf(document, schema.items);
  return typeof schema.additionalProperties === 'object' ? partsOf(document, schema.additionalProperties) : undefined;
}

interface FieldProps {
  document: Document;
  name: string;
  schema: Schema;
  isRequired?: boolean | undefined;
  /** What is answered has every field that is not optional. */
  isAnswer?: boolean | undefined;
  description?: string | undefined;
  example?: unknown;
}

/** A field: its type, whether it must be given, what it takes, and what is within it, which opens. */
export function SchemaField({ document, name, schema: given, isRequired, isAnswer, description, example }: FieldProps) {
  const { schema } = shapeOf(document, given);
  const inside = partsOf(document, given);
  const said = description ?? given.description ?? schema.description;
  const meanings =
    listedIn(said ?? '').length > 0 ? listedIn(said ?? '') : listedIn(namedIn(document, given)?.description ?? '');
  const items = schema.items && shapeOf(document, schema.items).schema;
  const { default: byDefault } = given;
  const shownExample = example ?? schema.example ?? schema.examples?.[0];
  return (
    <li>
      <p class="signature">
        <code class="name">{name}</code>
        <span class="muted">
          <Type document={document} of={given} />
        </span>
        {isRequired === true && !isAnswer && <Badge tone="warn">required</Badge>}
        {isRequired === false && isAnswer && <Badge>optional</Badge>}
      </p>
      {said && <Markdown text={textBeforeList(said)} />}
      <Values of={schema.enum ?? items?.enum} meanings={meanings} />
      <Facts
        of={[
          ...limitsIn(schema).map((limit) => ({ limit })),
          ...(items ? limitsIn(items).map((limit) => ({ limit: `each ${limit}` })) : []),
          ...(byDefault === undefined ? [] : [{ word: 'default', value: byDefault }]),
          ...(shownExample === undefined ? [] : [{ word: 'example', value: shownExample }]),
        ]}
      />
      {inside && (
        <Opened title={inside.title}>
          <SchemaTree document={document} schema={inside.inner} isAnswer={isAnswer} />
        </Opened>
      )}
    </li>
  );
}

interface ValuesProps {
  of: readonly unknown[] | undefined;
  meanings: readonly { name: string; text: string }[];
}

/** The values that there are, each with its meaning if it has one. */
function Values({ of, meanings }: ValuesProps) {
  if (!of) return null;
  if (meanings.length > 0)
    return (
      <ul class="meanings">
        {meanings.map(({ name, text }) => (
          <li key={name}>
            <code>{name}</code> {inline(text)}
          </li>
        ))}
      </ul>
    );
  return (
    <p class="values">
      {of.map((value) => (
        <code key={String(value)}>{String(value)}</code>
      ))}
    </p>
  );
}

/** The named enum that a schema, or each of its items, refers to. */
function namedIn(document: Document, given: Schema): Schema | undefined {
  const { name } = shapeOf(document, given);
  if (name !== undefined) return document.components.schemas[name];
  return given.items && namedIn(document, given.items);
}

type Fact = { limit: string } | { word: string; value: unknown };

const Facts = ({ of }: { of: readonly Fact[] }) =>
  of.length === 0 ? null : (
    <p class="facts-line">
      {of.map((fact) =>
        'limit' in fact ? (
          <span key={fact.limit}>{fact.limit}</span>
        ) : (
          <span key={fact.word}>
            {fact.word} <code>{JSON.stringify(fact.value)}</code>
          </span>
        ),
      )}
    </p>
  );

/** What is inside is there once it is opened: schemas may hold themselves. */
export function Opened({ title, children }: { title: ComponentChildren; children: ComponentChildren }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="opened" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{title}</summary>
      {isOpen && children}
    </details>
  );
}

interface TreeProps {
  document: Document;
  schema: Schema;
  isAnswer?: boolean | undefined;
}

/** A schema as the list of its fields, or of what it may be. */
export function SchemaTree({ document, schema: given, isAnswer }: TreeProps) {
  const { schema } = shapeOf(document, given);
  const variants = variantsOf(schema);
  if (variants.length > 0) {
    const { discriminator } = schema;
    const keyOf = (one: Schema) =>
      Object.entries(discriminator?.mapping ?? {}).find(([, target]) => target === one.$ref)?.[0];
    return (
      <>
        {discriminator && (
          <p class="muted">
            <code>{discriminator.propertyName}</code> says which it is.
          </p>
        )}
        <ul class="fields">
          {variants.map((one, at) => {
            const key = keyOf(one);
            return (
              <SchemaField
                key={key ?? one.$ref ?? at}
                document={document}
                name={key ?? variantName(one, at)}
                schema={one}
                isAnswer={isAnswer}
              />
            );
          })}
        </ul>
      </>
    );
  }
  const fields = Object.entries(schema.properties ?? {});
  if (fields.length > 0)
    return (
      <ul class="fields">
        {fields.map(([name, field]) => (
          <SchemaField
            key={name}
            document={document}
            name={name}
            schema={field}
            isRequired={schema.required?.includes(name) ?? false}
            isAnswer={isAnswer}
          />
        ))}
      </ul>
    );
  return (
    <ul class="fields">
      <SchemaField document={document} name="value" schema={given} />
    </ul>
  );
}

const variantName = ({ $ref, title }: Schema, at: number) => ($ref ? nameIn($ref) : (title ?? `variant ${at + 1}`));
