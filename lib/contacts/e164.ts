import { type CountryCode, parsePhoneNumberFromString } from 'libphonenumber-js/min';

/** Returns a phone number in E.164, by itself or by the country of numbers without `+`; undefined if it is none. */
export function e164(phone: string, country: string | null): string | undefined {
  const dialed = phone.replace(/^\D*00/, '+');
  const number = parsePhoneNumberFromString(dialed, (country as CountryCode | null) ?? undefined);
  return number?.isPossible() ? number.number : undefined;
}
