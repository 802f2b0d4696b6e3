import { type ComponentChildren, Fragment } from 'preact';

/** Returns a text of the catalog with its `{name}` places taken by what is given for them. */
export const filled = (text: string, given: Readonly<Record<string, ComponentChildren>>): ComponentChildren =>
  text.split(/\{(\w+)\}/).map((part, at) => <Fragment key={at}>{at % 2 === 0 ? part : given[part]}</Fragment>);
