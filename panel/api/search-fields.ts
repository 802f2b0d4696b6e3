/** The fields of lib/search/nouns.ts, and the kinds of the types of custom fields. Made by `npm run panel-lists`. */
export const searchFields = {
  "contact": {
    "id": {
      "kind": "number"
    },
    "platform": {
      "kind": "choice",
      "values": [
        "telegram",
        "twitter"
      ]
    },
    "name": {
      "kind": "text"
    },
    "username": {
      "kind": "text"
    },
    "phone": {
      "kind": "phone"
    },
    "email": {
      "kind": "email"
    },
    "company": {
      "kind": "text"
    },
    "notes": {
      "kind": "text"
    },
    "stage": {
      "kind": "choice",
      "values": [
        "new",
        "contacted",
        "engaged",
        "qualified",
        "customer",
        "lost"
      ]
    },
    "leadScore": {
      "kind": "number"
    },
    "leadScoreIsAi": {
      "kind": "boolean"
    },
    "assignedToUserId": {
      "kind": "member"
    },
    "createdAt": {
      "kind": "time"
    },
    "lastMessageAt": {
      "kind": "time"
    },
    "hasUnreadMessages": {
      "kind": "boolean"
    },
    "updatedAt": {
      "kind": "time"
    },
    "tags": {
      "kind": "tag",
      "isList": true
    },
    "companyId": {
      "kind": "company",
      "isList": true
    },
    "addresses": {
      "kind": "address",
      "isList": true
    }
  },
  "company": {
    "id": {
      "kind": "number"
    },
    "name": {
      "kind": "text"
    },
    "domains": {
      "kind": "text",
      "isList": true
    },
    "website": {
      "kind": "text"
    },
    "phone": {
      "kind": "phone"
    },
    "address": {
      "kind": "text"
    },
    "notes": {
      "kind": "text"
    },
    "assignedToUserId": {
      "kind": "member"
    },
    "contactCount": {
      "kind": "number"
    },
    "openDealCount": {
      "kind": "number"
    },
    "createdAt": {
      "kind": "time"
    },
    "updatedAt": {
      "kind": "time"
    }
  },
  "deal": {
    "id": {
      "kind": "number"
    },
    "title": {
      "kind": "text"
    },
    "contactId": {
      "kind": "contact"
    },
    "contactName": {
      "kind": "text"
    },
    "value": {
      "kind": "number"
    },
    "currency": {
      "kind": "text"
    },
    "stage": {
      "kind": "choice",
      "values": [
        "lead",
        "qualified",
        "proposal",
        "negotiation",
        "won",
        "lost"
      ]
    },
    "probability": {
      "kind": "number"
    },
    "expectedCloseAt": {
      "kind": "time"
    },
    "closedAt": {
      "kind": "time"
    },
    "notes": {
      "kind": "text"
    },
    "openTaskCount": {
      "kind": "number"
    },
    "createdAt": {
      "kind": "time"
    },
    "updatedAt": {
      "kind": "time"
    },
    "assignedToUserId": {
      "kind": "member"
    },
    "companyId": {
      "kind": "company"
    },
    "pipelineId": {
      "kind": "pipeline"
    },
    "columnId": {
      "kind": "column"
    }
  },
  "task": {
    "id": {
      "kind": "number"
    },
    "title": {
      "kind": "text"
    },
    "status": {
      "kind": "choice",
      "values": [
        "open",
        "inprogress",
        "done"
      ]
    },
    "priority": {
      "kind": "choice",
      "values": [
        "low",
        "medium",
        "high"
      ]
    },
    "dueAt": {
      "kind": "time"
    },
    "description": {
      "kind": "text"
    },
    "contactId": {
      "kind": "contact"
    },
    "dealId": {
      "kind": "deal"
    },
    "assignedToUserId": {
      "kind": "member"
    },
    "remindAt": {
      "kind": "time"
    },
    "completedAt": {
      "kind": "time"
    },
    "createdAt": {
      "kind": "time"
    },
    "updatedAt": {
      "kind": "time"
    },
    "isOverdue": {
      "kind": "boolean"
    }
  }
} as const;

export const kindsOfTypes = {
  "text": {
    "kind": "text"
  },
  "long_text": {
    "kind": "text"
  },
  "number": {
    "kind": "number"
  },
  "money": {
    "kind": "money"
  },
  "checkbox": {
    "kind": "boolean"
  },
  "date": {
    "kind": "date"
  },
  "datetime": {
    "kind": "time"
  },
  "select": {
    "kind": "option"
  },
  "multi_select": {
    "kind": "option",
    "isList": true
  },
  "url": {
    "kind": "text"
  },
  "email": {
    "kind": "email"
  },
  "phone": {
    "kind": "phone"
  },
  "member": {
    "kind": "member"
  },
  "contact": {
    "kind": "contact"
  },
  "company": {
    "kind": "company"
  },
  "deal": {
    "kind": "deal"
  }
} as const;

/** The operators that each kind takes in filters; `isSet` and `isNotSet` fit all. */
export const operatorsOfKinds = {
  "tag": [
    "eq",
    "ne",
    "in",
    "notIn"
  ],
  "company": [
    "eq",
    "ne",
    "in",
    "notIn"
  ],
  "address": [
    "eq",
    "ne",
    "in",
    "notIn",
    "contains",
    "startsWith"
  ],
  "text": [
    "eq",
    "ne",
    "in",
    "notIn",
    "contains",
    "startsWith"
  ],
  "option": [
    "eq",
    "ne",
    "in",
    "notIn"
  ],
  "number": [
    "eq",
    "ne",
    "in",
    "notIn",
    "gt",
    "gte",
    "lt",
    "lte",
    "between"
  ],
  "choice": [
    "eq",
    "ne",
    "in",
    "notIn"
  ],
  "phone": [
    "eq",
    "ne",
    "in",
    "notIn",
    "contains",
    "startsWith"
  ],
  "email": [
    "eq",
    "ne",
    "in",
    "notIn",
    "contains",
    "startsWith"
  ],
  "boolean": [
    "eq",
    "ne",
    "in",
    "notIn"
  ],
  "member": [
    "eq",
    "ne",
    "in",
    "notIn"
  ],
  "time": [
    "eq",
    "ne",
    "in",
    "notIn",
    "gt",
    "gte",
    "lt",
    "lte",
    "between"
  ],
  "contact": [
    "eq",
    "ne",
    "in",
    "notIn"
  ],
  "pipeline": [
    "eq",
    "ne",
    "in",
    "notIn"
  ],
  "column": [
    "eq",
    "ne",
    "in",
    "notIn"
  ],
  "deal": [
    "eq",
    "ne",
    "in",
    "notIn"
  ],
  "money": [
    "eq",
    "ne",
    "in",
    "notIn",
    "gt",
    "gte",
    "lt",
    "lte",
    "between"
  ],
  "date": [
    "eq",
    "ne",
    "in",
    "notIn",
    "gt",
    "gte",
    "lt",
    "lte",
    "between"
  ]
} as const;
