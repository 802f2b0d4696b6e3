export { default as companies } from './companies/companies.tsx';
export { default as deals } from './deals.tsx';
