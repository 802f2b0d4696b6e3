export const isWrite = (operation: string) =>
  /^(PutItem|UpdateItem|DeleteItem|TransactWriteItems|BatchWriteItem)$/.test(operation);
export const isRead = (operation: string) => /^(GetItem|BatchGetItem|Query|Scan|TransactGetItems)$/.test(operation);
