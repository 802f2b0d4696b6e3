/** For elements and inputs with text that people wrote: it runs in the direction of its own script. */
export const userText = { dir: 'auto' } as const;

interface UserTextProps {
  text: string;
  /** In one line, cut off with … where there is no room; the whole shows on hover. */
  isName?: boolean;
}

/** A text that people wrote, apart from the direction of the text around it. */
export const UserText = ({ text, isName = false }: UserTextProps) => (
  <bdi {...userText} class={isName ? 'one-line' : undefined} title={isName ? text : undefined}>
    {text}
  </bdi>
);
