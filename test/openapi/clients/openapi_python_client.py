import json
import os

from crm.api.contacts import contacts_batch, contacts_create, contacts_get, contacts_list, contacts_merge
from crm.api.events import events_list
from crm.api.webhooks import webhooks_create
from crm.client import AuthenticatedClient
from crm.models import (
    ApiError,
    ContactBatch,
    ContactCreatedEvent,
    ContactList,
    ContactStage,
    ContactWithTags,
    CreateContact,
    MergeContacts,
    UpdateContactItem,
)
from crm.types import UNSET

assert callable(webhooks_create.sync)
client = AuthenticatedClient(base_url=os.environ["BASE_URL"], token=os.environ["API_KEY"])


def create(name):
    contact = contacts_create.sync(client=client, body=CreateContact(name=name))
    assert isinstance(contact, ContactWithTags)
    return contact


def listed():
    after = UNSET
    while after is not None:
        page = contacts_list.sync(client=client, limit=2, after=after)
        assert isinstance(page, ContactList)
        yield from (contact.name for contact in page.items)
        after = page.next_cursor


create("Ada")
id = create("Grace").id
create("Hedy")
item = UpdateContactItem(op="update", id=id, stage=ContactStage.QUALIFIED)
moved = contacts_batch.sync(client=client, body=ContactBatch(items=[item]))
merge = contacts_merge.sync(id, client=client, body=MergeContacts(source_contact_id=999_999))
missing = contacts_get.sync_detailed(999_999, client=client)
assert isinstance(merge, ApiError) and isinstance(missing.parsed, ApiError)
feed = events_list.sync(client=client, limit=100)
print(
    json.dumps(
        {
            "listed": list(listed()),
            "stage": moved.results[0].contact.stage,
            "refused": [f"{field.field} {field.code}" for field in merge.details.fields],
            "missing": [missing.status_code, missing.parsed.error, missing.parsed.details],
            "created": [event.data.name for event in feed.items if isinstance(event, ContactCreatedEvent)],
        }
    )
)
