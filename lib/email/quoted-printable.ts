const [lineFeed, carriageReturn, tab, space, equals] = [0x0a, 0x0d, 0x09, 0x20, 0x3d] as const;
const hexDigits = new Map(
  [...'0123456789ABCDEFabcdef'].map((digit) => [digit.charCodeAt(0), Number.parseInt(digit, 16)]),
);

/** Decodes quoted-printable (RFC 2045, 6.7) in linear time. Invalid escapes are kept as they are. */
export function fromQuotedPrintable(sent: Buffer): Buffer {
  const decoded = Buffer.alloc(sent.length);
  let length = 0;
  for (let start = 0, next = 0; start < sent.length; start = next) {
    next = start;
    while (next < sent.length && sent[next] !== lineFeed) next += 1;
    const lineBreak = sent[next - 1] === carriageReturn && next > start ? next - 1 : next;
    next = Math.min(next + 1, sent.length);
    let end = lineBreak;
    while (end > start && (sent[end - 1] === space || sent[end - 1] === tab)) end -= 1;
    const isJoined = end > start && sent[end - 1] === equals;
    if (isJoined) end -= 1;
    for (let at = start; at < end; at += 1) {
      const escaped = sent[at] === equals ? byteOf(sent[at + 1], sent[at + 2]) : undefined;
      decoded[length] = escaped ?? (sent[at] as number);
      length += 1;
      if (escaped !== undefined) at += 2;
    }
    if (!isJoined) length += sent.copy(decoded, length, lineBreak, next);
  }
  return decoded.subarray(0, length);
}

function byteOf(high: number | undefined, low: number | undefined): number | undefined {
  const [first, second] = [hexDigits.get(high ?? 0), hexDigits.get(low ?? 0)];
  return first === undefined || second === undefined ? undefined : first * 16 + second;
}
