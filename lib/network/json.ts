export interface Growth {
  /** Lists and objects in all of it. */
  maxOpenings: number;
  /** Of them within one another. */
  maxLevels: number;
}

/** Whether a JSON text opens more than it may: brackets take up to a hundred times their size once they are parsed. */
export function isOvergrown(json: string, { maxOpenings, maxLevels }: Growth): boolean {
  let opened = 0;
  let levels = 0;
  let isText = false;
  for (let at = 0; at < json.length; at += 1) {
    const letter = json[at];
    if (letter === '"') isText = !isText;
    else if (isText) at += letter === '\\' ? 1 : 0;
    else if (letter === ']' || letter === '}') levels -= 1;
    else if (letter === '[' || letter === '{') {
      opened += 1;
      levels += 1;
      if (opened > maxOpenings || levels > maxLevels) return true;
    }
  }
  return false;
}
