/** A text in which web addresses can be followed; everything else in it is shown as it came. */
export const Linked = ({ text }: { text: string }) => (
  <>
    {text.split(/(https?:\/\/[^\s<>"]{1,2000})/).map((part, at) =>
      at % 2 === 1 ? (
        <a key={at} href={part} target="_blank" rel="noopener noreferrer">
          {part}
        </a>
      ) : (
        part
      ),
    )}
  </>
);
