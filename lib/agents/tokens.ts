const charactersPerToken = 4;

/** About how many tokens texts are. */
export const tokensOf = (...texts: string[]): number => Math.ceil(texts.join('').length / charactersPerToken);
