import { Fragment } from 'preact';
import { userText } from './user-text.tsx';

/** An e-mail address or a link: where there is too little room for it, it breaks before a sign and not within a word. */
export const Address = ({ text }: { text: string }) => (
  <bdi {...userText}>
    {text.split(/(?=[@./?&_-])/).map((part, at) => (
      <Fragment key={`${at} ${part}`}>
        {at > 0 && <wbr />}
        <span>{part}</span>
      </Fragment>
    ))}
  </bdi>
);
