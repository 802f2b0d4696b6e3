/** A charset that mails are written in without saying so, and the letters of those who do. */
export interface Alphabet {
  charset: string;
  language: string;
  /** Letters that stand in a word of it. */
  letters: RegExp;
  /** Letters that occur often. */
  common: string;
}

const cyrillic = { language: 'ru', letters: /\p{Script=Cyrillic}/u, common: 'оеаинтсрвлкмдпуяызьбгчйхжшюцщэфіїє' };
const greek = { language: 'el', letters: /\p{Script=Greek}/u, common: 'αοιετσνηυρπκμλςγδωχθφβξζόίάέήύώ' };
const hebrew = { language: 'he', letters: /[א-ת״׳־]/u, common: 'יוהלארתבשמנםחקדעפכצגןסטזךףץ' };
const arabic = { language: 'ar', letters: /\p{Script=Arabic}/u, common: 'اليمونرتبةعدسفقحكأجهشىخصضطذثزغظءإآئ' };
const thai = { language: 'th', letters: /\p{Script=Thai}/u, common: 'านรอกเงมยลวดทสตะปบคหแจขพชไใโถผซ่้็ัิีืุูำ์' };
/** Without the signs of ordinal numbers, which stand in no word. */
const latin = /(?![ªº])\p{Script=Latin}/u;
const western = { language: 'west', letters: latin };
/** Languages that are written in the same charsets, each with its own letters. */
const central = [
  { language: 'pl', letters: latin, common: 'ęąłóśżćńź' },
  { language: 'cs', letters: latin, common: 'íáéěšřčžýůúťďňľäôĺŕ' },
  { language: 'hu', letters: latin, common: 'áéöóüőíúű' },
  { language: 'ro', letters: latin, common: 'ăîâşţ' },
  { language: 'hr', letters: latin, common: 'šžčćđ' },
];
const baltic = [
  { language: 'lt', letters: latin, common: 'ėšžčųįąūę' },
  { language: 'lv', letters: latin, common: 'āēīšžčņļķģū' },
  { language: 'et', letters: latin, common: 'äõöüšž' },
];
const kana =
  'のにはをたがでてとしれさあいうえおかきくけこすせそちつなねひふへほまみむもやゆよらりるろわんだどじばぶべびぐげごぎずぜぞパンスルトリイラクアレドシプコテマフロタメカサバジッ';
const japanese = {
  language: 'ja',
  letters: /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|[\u3000-\u303fー々]/u,
  common: `${kana}様日本会社年月人大中出一見行時分後前間気方今何言者自生上下書送受取注文商品価格表件名お願致申御世話連絡確認情報電話株式配達届先円無見積格様納期返答予定金額工業担当部資料添付`,
};
const han = /\p{Script=Han}|[\u3000-\u303f]/u;

/** Charset of most mails that name none. */
export const commonest = 'windows-1252';

/** In the order in which one of two that are as likely is taken. */
export const alphabets: readonly Alphabet[] = [
  { charset: commonest, ...western, common: 'éäöüßèàáóçíñåøëãæúêôîâœïõ' },
  { charset: commonest, language: 'is', letters: latin, common: 'áðíéóúýþæö' },
  { charset: 'windows-1251', ...cyrillic },
  { charset: 'koi8-r', ...cyrillic },
  { charset: 'ibm866', ...cyrillic },
  { charset: 'iso-8859-5', ...cyrillic },
  {
    charset: 'gb18030',
    language: 'zh',
    letters: han,
    common:
      '的一是了我不人在他有这个上们来到时大地为子中你说生国年着就那和要她出也得里后自以会家可下而过天去能对小多然于心学么之都好看起发当没成只如事把还用第样道想作种开美总从无情己面最女但现前些所同日手又行意动方期它头经长儿回位分爱老因很给名法间知世什两次使身者被高已亲其进此话常与活正感您请问谢候货价格电订单公司产品发收联系邮件报送付款表复回客样数量单元号期附请销供应商合同确认需快递码品名规格',
  },
  {
    charset: 'big5',
    language: 'zh-hant',
    letters: han,
    common:
      '的一是了我不人在他有這個上們來到時大地為子中你說生國年著就那和要她出也得裡後自以會家可下而過天去能對小多然於心學麼之都好看起發當沒成只如事把還用第樣道想作種開美總從無情己面最女但現前些所同日手又行意動方期它頭經長兒回位分愛老因很給名法間知世什兩次使身者被高已親其進此話常與活正感您請問謝候貨價格電訂單公司產品收聯繫郵件報送付款表復覆回客樣數量元號期附銷供應商合約確認需快遞碼品名規格謝',
  },
  { charset: 'shift_jis', ...japanese },
  { charset: 'euc-jp', ...japanese },
  {
    charset: 'euc-kr',
    language: 'ko',
    letters: /\p{Script=Hangul}|[\u3000-\u303f]/u,
    common:
      '이다는을가에의하고지한를도기로서자사은그대시나아해있어리요제들인안녕세니까부만정주보수일전과문장면상스오라습구게여내저원공우신성무조동문의견적감송드립합했러연락메일격품님회견목표제안내배출불완료',
  },
  { charset: 'windows-1253', ...greek },
  { charset: 'windows-1255', ...hebrew },
  { charset: 'windows-1256', ...arabic },
  { charset: 'windows-874', ...thai },
  ...central.map((alphabet) => ({ charset: 'windows-1250', ...alphabet })),
  { charset: 'windows-1254', language: 'tr', letters: latin, common: 'ışğüçöâ' },
  ...baltic.map((alphabet) => ({ charset: 'windows-1257', ...alphabet })),
  ...central.map((alphabet) => ({ charset: 'iso-8859-2', ...alphabet })),
  { charset: 'iso-8859-15', ...western, common: 'éäöüßèàáóçíñåøëãæúêôîâœïõ' },
  { charset: 'macintosh', ...western, common: 'éäöüßèàñóáçíåêôúâî' },
];

const ofLanguage: Record<string, string> = {
  ...{
    ru: 'ru',
    uk: 'ru',
    be: 'ru',
    bg: 'ru',
    sr: 'ru',
    mk: 'ru',
    kz: 'ru',
    kk: 'ru',
    ua: 'ru',
    by: 'ru',
    kg: 'ru',
    su: 'ru',
    рф: 'ru',
  },
  ...{
    el: 'el',
    gr: 'el',
    cy: 'el',
    he: 'he',
    iw: 'he',
    il: 'he',
    ar: 'ar',
    fa: 'ar',
    ir: 'ar',
    sa: 'ar',
    ae: 'ar',
    eg: 'ar',
    th: 'th',
  },
  ...{
    ma: 'ar',
    jo: 'ar',
    kw: 'ar',
    iq: 'ar',
    qa: 'ar',
    ja: 'ja',
    jp: 'ja',
    ko: 'ko',
    kr: 'ko',
    zh: 'zh',
    cn: 'zh',
    sg: 'zh',
  },
  ...{ 'zh-tw': 'zh-hant', 'zh-hk': 'zh-hant', 'zh-hant': 'zh-hant', tw: 'zh-hant', hk: 'zh-hant', mo: 'zh-hant' },
  ...{ pl: 'pl', cs: 'cs', cz: 'cs', sk: 'cs', hu: 'hu', ro: 'ro', md: 'ro', hr: 'hr', sl: 'hr', si: 'hr', rs: 'hr' },
  ...{ ba: 'hr', bs: 'hr', tr: 'tr', az: 'tr', lt: 'lt', lv: 'lv', et: 'et', ee: 'et' },
  ...{ en: 'west', de: 'west', at: 'west', ch: 'west', fr: 'west', es: 'west', pt: 'west', it: 'west' },
  ...{ nl: 'west', sv: 'west', se: 'west', nb: 'west', nn: 'west', no: 'west', da: 'west', dk: 'west', fi: 'west' },
  ...{ is: 'is', ca: 'west', gl: 'west', eu: 'west', br: 'west', mx: 'west', au: 'west', ie: 'west' },
};

const ofNarrow: Record<string, string> = {
  'iso-2022-jp': 'ja',
  'iso-2022-kr': 'ko',
  'hz-gb-2312': 'zh',
  'iso-2022-cn': 'zh',
};

/** The language, as alphabets name it, of a language tag or a country's domain. */
export const languageOf = (tag: string): string | undefined => {
  const lower = tag.toLowerCase();
  const [primary = '', second] = lower.split('-');
  return ofNarrow[lower] ?? ofLanguage[`${primary}-${second}`] ?? ofLanguage[primary];
};
