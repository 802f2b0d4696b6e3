export { default as audit } from './audit.tsx';
export { default as contacts } from './contacts.tsx';
