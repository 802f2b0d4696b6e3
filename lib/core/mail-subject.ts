/** Prefixes that mail programs put before the subject of a reply, in the languages that have one of their own. */
const replies =
  'Ang|Vedr|AW|Antw|Antwort|Antwoord|Re|Res|Resp|Respuesta|Risp|Rif|R|Ré|Rép|Réponse|Réf|SV|Svar|VS|Vast|Vastaus|Odp|Odpověď|Odpoveď|Odg|Odgovor|Одг|Odgov|Vá|Válasz|Răs|Răsp|Răspuns|YNT|Ynt|Yan|Yanıt|Cevap|Cvp|Ats|Atb|Atbilde|Atsakymas|BLS|Bls|Balas|Jwb|TL|Trả lời|Hồi âm|ΑΠ|Απ|Απάντηση|ΣΧΕΤ|Σχετ|Ответ|Отв|На|Відп|Відповідь|Отг|Отговор|Одговор|רי|השב|תגובה|תשובה|رد|ردّ|الرد|پاسخ|回复|回覆|回復|答复|答覆|答復|返信|回信|返|RE|회신|답장|답변|返信先|ตอบ|ตอบกลับ|RV|Erantzun|Erantz|Resposta|Ateb|Freagra|Svör';
/** And of a mail that is passed on. */
const forwards =
  'YML|FS|Fwd|Fw|Forward|WG|Weiterleitung|TR|Tr|Trans|Transf|Transfert|I|Inoltro|Inoltra|Doorst|Doorgestuurd|VB|Vb|Videresendt|VL|Välitys|PD|Podaj dalej|Przekazane|Enc|Encaminhado|Reenv|Továb|Továbbítás|Przekaż|Předáno|Preposlané|Prosl|Proslijeđeno|ПД|Пер|Пересл|Пересылка|Переслано|ПРЕД|Препратено|İLT|ILT|İletilen|ΠΡΘ|Προώθ|הועבר|إعادة توجيه|转发|轉寄|轉發|転送|전달|Chuyển tiếp|ส่งต่อ|Trs|Terusan|Redirect|Înaintare';
/** Marks that gateways and filters put on a subject. */
const marks =
  'ext|extern\\p{L}*|from external|caution|warning|attention|achtung|attenzione|suspicious|suspect\\p{L}*|spam|possible spam|probable spam|junk|bulk|phishing|virus|unverified|untrusted|not verified|unsicher|secure|encrypted|verschlüsselt|chiffré|confidential|vertraulich|confidentiel|marketing|newsletter|non-secure|dmarc|ulkoinen|ekstern\\p{L}*|extérieur\\p{L}*|estern\\p{L}|zewn\\p{L}*|külső|внешн\\p{L}*|зовнішн\\p{L}*|harici|dış|خارجي|חיצוני|外部|社外|외부|迷惑メール|スパム';
/** A mark may go on: `[External email - be careful]`. */
const more = '(?:[^\\p{L}\\])}>】］）」][^\\])}>】］）」]{0,60}|邮件|郵件|メール|메일)?';

const counter = '(?:\\s?\\[\\d{1,4}\\]|\\s?\\(\\d{1,4}\\)|\\s?\\^\\d{1,4}|-\\d{1,4}|\\d{1,2}|\\*\\d{1,4}|\\.)?';
const colon = '\\s?[:：︓﹕∶]\\s?';
/** `R2` is a name of products, and `R` a prefix that no program counts without brackets. */
const isReply = new RegExp(`^(?!R\\d)(?:${replies})${counter}${colon}`, 'iu');
const isForward = new RegExp(`^(?:${forwards})${counter}${colon}`, 'iu');
const opening = '[[({<【［（{「]{1,3}';
const closing = '[\\])}>】］）」]{1,3}';
const isMark = new RegExp(
  `^(?:${opening}\\s?(?:${marks})${more}\\s?${closing}|[*#!]{1,5}\\s?(?:${marks})\\s?[*#!]{1,5}|(?:external|extern|ext|spam)\\s?[:：])[\\s:：-]{0,3}`,
  'iu',
);
/** Brackets before the mark of a reply were put there on the way. */
const isTag = /^[[【［][^\]】］[【［]{1,40}[\]】］]\s?/u;
const isEmpty = /^[\s\p{Cf}]+/u;

interface Subject {
  topic: string;
  isReply: boolean;
}

function read(subject: string): Subject {
  let rest = subject.replaceAll(/[\s\u00a0\u3000\u200e\u200f\u202a-\u202e\u2066-\u2069]+/g, ' ').trim();
  let isReplied = false;
  for (;;) {
    const [reply = ''] = isReply.exec(rest) ?? [];
    const [cut = ''] = reply ? [reply] : (isForward.exec(rest) ?? isMark.exec(rest) ?? tagBeforeReply(rest) ?? []);
    if (cut === '') break;
    isReplied ||= reply !== '';
    rest = rest.slice(cut.length).replace(isEmpty, '');
  }
  return { topic: rest.trim(), isReply: isReplied };
}

function tagBeforeReply(subject: string): RegExpExecArray | undefined {
  const tag = isTag.exec(subject);
  return tag && isReply.test(subject.slice(tag[0].length)) ? tag : undefined;
}

/** Whether a subject says that it is a reply. */
export const isReplySubject = (subject: string): boolean => read(subject).isReply;

/** Whether a subject says that it is of a mail that was passed on. */
export const isForwardSubject = (subject: string): boolean => isForward.test(withoutMarks(subject));

/** Returns the topic of a subject, without the prefixes of replies and the marks of those who passed it on. */
export const topicOf = (subject: string): string => read(subject).topic;

/** A subject without marks alone: what was put before it on the way. */
export const withoutMarks = (subject: string): string => {
  let rest = subject.trim();
  for (let mark = isMark.exec(rest); mark; mark = isMark.exec(rest)) rest = rest.slice(mark[0].length);
  return rest;
};
