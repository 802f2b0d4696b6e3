import json
import os

from openapi_client import ApiClient, Configuration
from openapi_client.api.contacts_api import ContactsApi
from openapi_client.api.events_api import EventsApi
from openapi_client.api.webhooks_api import WebhooksApi
from openapi_client.exceptions import BadRequestException, NotFoundException
from openapi_client.models.contact_batch import ContactBatch
from openapi_client.models.contact_batch_item import ContactBatchItem
from openapi_client.models.contact_created_event import ContactCreatedEvent
from openapi_client.models.create_contact import CreateContact
from openapi_client.models.event import Event
from openapi_client.models.merge_contacts import MergeContacts
from openapi_client.models.update_contact_item import UpdateContactItem

assert callable(WebhooksApi.webhooks_create)
client = ApiClient(Configuration(host=os.environ["BASE_URL"], access_token=os.environ["API_KEY"]))
contacts = ContactsApi(client)


def listed():
    after = None
    while True:
        page = contacts.contacts_list(limit=2, after=after)
        yield from (contact.name for contact in page.items)
        after = page.next_cursor
        if after is None:
            return


def created():
    """The names in the feed: an event is what it was, or what is left of it after an erasure."""
    for item in EventsApi(client).events_list(limit=100).items:
        event = item.actual_instance
        if isinstance(event, Event) and isinstance(event.actual_instance, ContactCreatedEvent):
            yield event.actual_instance.data.name


def refused(call):
    try:
        call()
    except (BadRequestException, NotFoundException) as error:
        return error
    raise AssertionError("not refused")


contacts.contacts_create(CreateContact(name="Ada"))
id = contacts.contacts_create(CreateContact(name="Grace")).id
contacts.contacts_create(CreateContact(name="Hedy"))
item = ContactBatchItem(UpdateContactItem(op="update", id=id, stage="qualified"))
moved = contacts.contacts_batch(ContactBatch(items=[item]))
merge = refused(lambda: contacts.contacts_merge(id, MergeContacts(source_contact_id=999_999))).data
missing = refused(lambda: contacts.contacts_get(999_999))
print(
    json.dumps(
        {
            "listed": list(listed()),
            "stage": moved.results[0].contact.stage,
            "refused": [f"{field.var_field} {field.code.value}" for field in merge.details.fields],
            "missing": [missing.status, missing.data.error, missing.data.details],
            "created": list(created()),
        }
    )
)
