import { registerHooks } from 'node:module';

// The generators need the compiler as a library, which TypeScript 7 no longer is: they get the one that ts-morph carries.
registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier === 'typescript' ? '@ts-morph/common/dist/typescript.js' : specifier, context),
});
