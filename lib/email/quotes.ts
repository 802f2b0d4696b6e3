/** Words by which mail programs say that somebody wrote what follows. */
const wrote = [
  ...['wrote', 'writes', 'schrieb', 'schreibt', 'a écrit', 'escribió', 'escribio', 'ha scritto', 'scrisse', 'schreef'],
  ...[
    'geschreven',
    'escreveu',
    'skrev',
    'skrifaði',
    'kirjoitti',
    'napisał',
    'napisał\\(a\\)',
    'pisze',
    'napsal',
    'napísal',
    'írta',
    'ezt írta',
  ],
  ...[
    'a scris',
    'написа',
    'писал',
    'пишет',
    'пише',
    'написав',
    'έγραψε',
    'yazdı',
    'yazmış',
    'כתב',
    'כתבה',
    'كتب',
    'نوشت',
  ],
  ...[
    '写道',
    '寫道',
    '写到',
    '書きました',
    'のメール',
    'のメッセージ',
    '작성',
    '썼습니다',
    'đã viết',
    'เขียน',
    'menulis',
  ],
  ...[
    'napisao',
    'napisala',
    'napisal',
    'rašė',
    'rakstīja',
    'kirjutas',
    'va escriure',
    'missatge de',
    'idatzi',
    'escribiu',
    'shkroi',
    'लिखा',
  ],
]
  // A word with blanks around it is no end of another, such as "overwrites".
  .map((word) => (/^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]/u.test(word) ? `(?<!\\p{L})${word}` : word))
  .join('|');
const hasAttribution = new RegExp(`(?:${wrote})[^\\n]{0,80}[:：]$`, 'iu');
/** A time in brackets may follow. */
const endsWithAddress = /<[^<>\s@]+@[^<>\s]+>\)?(?:\s\[[\d\s:.+-]{8,30}\])?\s?[:：]$/;
const hasDateOrAddress = /\p{Nd}|@/u;
/** People name a day, programs its time or an address. */
const hasTimeOrAddress = /@|\d[:：h時时]\s?\d{2}|(?<![\d.])\d{1,2}\.\d{2}(?![\d.])/;

/** The first label of the head of a quoted mail, as Outlook and its like write it, and labels that come after it. */
const authors = words(
  "From|Von|De|Da|Van|Från|Fra|Lähettäjä|Od|Feladó|De la|Expéditeur|Remitente|Mittente|Afzender|Avsändare|Afsender|Nadawca|Odesílatel|Odosielateľ|Küldő|Expeditor|От|Від|От кого|От кога|Από|Kimden|Gönderen|מאת|من|از|发件人|寄件者|寄件人|差出人|送信者|보낸 사람|보낸사람|발신|Từ|Người gửi|จาก|Dari|Pengirim|Šalje|Pošiljatelj|Nuo|No|Kellelt|Saatja|D'",
);
const subjects = words(
  'Subject|Betreff|Objet|Asunto|Oggetto|Assunto|Onderwerp|Ämne|Emne|Aihe|Temat|Předmět|Predmet|Tárgy|Subiect|Тема|Тема письма|Относно|Θέμα|Konu|נושא|الموضوع|موضوع|主题|主題|主旨|件名|제목|Chủ đề|Tiêu đề|เรื่อง|หัวเรื่อง|Perihal|Subjek|Zadeva|Naslov|Tema|Temats|Teema|Assumpte|Gaia',
);
/** GMX and its like begin with the time. */
const times = words('Gesendet|Sent|Envoyé|Enviado|Inviato|Verzonden|Date|Datum');
const isRule = /^_{20,}\s*$/;
function words(list: string): RegExp {
  return new RegExp(`^[*_>\\s]{0,4}(?:${list})[*_]?\\s?[:：]`, 'iu');
}
const maxHeadLines = 8;

const separator = /^\s*[-_=]{2,}\s?\p{L}[^\n]{2,60}[-_=]{2,}\s*$/u;
const forwarded =
  /forward|weitergeleitet|transf|transm|reenvi|encaminh|inoltr|doorgestuurd|vidarebe|videresend|edelleen|przekaz|přepos|preposl|továbbít|redirec|пересл|перенапр|препрат|προωθ|ilet|הועבר|تحويل|转发|轉寄|轉發|転送|전달|chuyển|ส่งต่อ|terus/iu;
const isQuoted = /^\s{0,3}(?:>|\|\s)/;
const maxLineCharacters = 400;
/** An attribution may be broken into so many lines. */
const maxAttributionLines = 3;
/** The first of several lines has the day, or its first word. */
const beginsAttribution = /\d|^\s*(?:on|am|le|el|il|op|em|den|dne|w) /i;

/**
 * Returns a text without what it quotes: the lines with a mark, what says whose they are, and a mail that follows below. A mail that is
 * passed on quotes nothing.
 */
export function newTextOf(text: string, { isForward = false } = {}): string {
  const lines = text.split('\n');
  const own: string[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] as string;
    const isForwardedHead = isForward && isHeadAt(lines, at);
    const isSeparator = separator.test(line.slice(0, maxLineCharacters));
    if (isForwardedHead || (isSeparator && (isForward || forwarded.test(line)))) {
      own.push(...lines.slice(at));
      break;
    }
    if (isQuoted.test(line)) continue;
    const next = at + attributionLines(lines, at);
    if (next > at) {
      const following = lines.slice(next, next + 3).find((one) => one.trim() !== '');
      if (following === undefined || !isQuoted.test(following)) break;
      at = next - 1;
    } else if (isHeadAt(lines, at) || isSeparator) break;
    else own.push(line);
  }
  while (own.length > 1 && own.length < lines.length && /^[\s_-]*$/.test(own.at(-1) as string)) own.pop();
  return own
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
}

/** Whether a text ends with what says who wrote the quote that follows. */
export function endsWithAttribution(text: string): boolean {
  const lines = text.trimEnd().split('\n').slice(-maxAttributionLines);
  return lines.some((_, at) => attributionLines([...lines, '>'], at) === lines.length - at);
}

/** How many lines from here say who wrote what follows, 0 where none do. */
function attributionLines(lines: readonly string[], at: number): number {
  let joined = '';
  for (let count = 1; count <= maxAttributionLines && at + count <= lines.length; count += 1) {
    const line = (lines[at + count - 1] as string).replaceAll(directions, '').trim();
    if (line === '' || line.length > maxLineCharacters || isQuoted.test(line)) return 0;
    joined = `${joined} ${line}`.trim();
    if (!/[:：]$/.test(line)) continue;
    const isWhole = /\d/.test(line.replace(/<[^<>@]*@[^<>]*>/, ''));
    if (count > 1 && (isWhole || !beginsAttribution.test(lines[at] as string))) return 0;
    const following = lines.slice(at + count, at + count + 3).find((one) => one.trim() !== '');
    const isBeforeQuote = isQuoted.test(following ?? '');
    const isBeforeEnd = following === undefined && hasDateOrAddress.test(joined);
    const isWrote = hasAttribution.test(joined) && (isBeforeQuote || isBeforeEnd || hasTimeOrAddress.test(joined));
    return isWrote || (endsWithAddress.test(joined) && /\p{Nd}/u.test(joined)) ? count : 0;
  }
  return 0;
}

/** Signs around names in texts that run from right to left. */
const directions = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Whether the head of a quoted mail begins here: it has an address or a time, too, and a subject. */
function isHeadAt(lines: readonly string[], at: number): boolean {
  const isTimeFirst = times.test(lines[at] as string) && authors.test(lines[at + 1] ?? '');
  if (!isTimeFirst && !authors.test(lines[at] as string)) return false;
  const head = lines.slice(at, at + maxHeadLines);
  const subject = head.findIndex((line) => subjects.test(line));
  const isAfterRule = isRule.test(lines[at - 1] ?? '');
  return subject > 0 && (isAfterRule || head.slice(0, subject).some((line) => hasTimeOrAddress.test(line)));
}
