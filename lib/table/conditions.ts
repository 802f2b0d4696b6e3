type Condition<Row> = (row: Row) => boolean;

/** The conditions that were asked for, as the `matches` of a listing; nothing when none was. */
export function matching<Row>(...conditions: (Condition<Row> | false)[]): { matches?: Condition<Row> } {
  const wanted = conditions.filter((condition) => condition !== false);
  return wanted.length === 0 ? {} : { matches: (row) => wanted.every((holds) => holds(row)) };
}

/** `createdSince` and `updatedSince` of a list (contract 0.2), both inclusive. */
export const since = ({ createdSince, updatedSince }: Since): (Condition<Dated> | false)[] => [
  createdSince !== undefined && (({ createdAt }) => createdAt >= createdSince),
  updatedSince !== undefined && (({ createdAt, updatedAt }) => (updatedAt ?? createdAt) >= updatedSince),
];

interface Since {
  createdSince?: string | undefined;
  updatedSince?: string | undefined;
}

interface Dated {
  createdAt: string;
  updatedAt: string | null;
}
