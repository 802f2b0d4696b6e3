package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	crm "github.com/GIT_USER_ID/GIT_REPO_ID"
)

func main() {
	configuration := crm.NewConfiguration()
	configuration.Servers = crm.ServerConfigurations{{URL: os.Getenv("BASE_URL")}}
	client := crm.NewAPIClient(configuration)
	caller := context.WithValue(context.Background(), crm.ContextAccessToken, os.Getenv("API_KEY"))
	contacts := client.ContactsAPI
	_ = client.WebhooksAPI.WebhooksCreate

	create := func(name string) int64 {
		made, _, err := contacts.ContactsCreate(caller).CreateContact(crm.CreateContact{Name: *crm.NewNullableString(&name)}).Execute()
		check(err)
		return made.Id
	}
	create("Ada")
	id := create("Grace")
	create("Hedy")

	listed := []string{}
	for request := contacts.ContactsList(caller).Limit(2); ; {
		page, _, err := request.Execute()
		check(err)
		for _, contact := range page.Items {
			listed = append(listed, *contact.Name.Get())
		}
		after := page.NextCursor.Get()
		if after == nil {
			break
		}
		request = request.After(*after)
	}

	stage := crm.CONTACTSTAGE_QUALIFIED
	item := crm.UpdateContactItemAsContactBatchItem(&crm.UpdateContactItem{Op: "update", Id: id, Stage: &stage})
	moved, _, err := contacts.ContactsBatch(caller).ContactBatch(crm.ContactBatch{Items: []crm.ContactBatchItem{item}}).Execute()
	check(err)

	_, _, refusal := contacts.ContactsMerge(caller, id).MergeContacts(crm.MergeContacts{SourceContactId: 999999}).Execute()
	refused := []string{}
	for _, field := range errorOf(refusal).Details.Get().Fields {
		refused = append(refused, fmt.Sprintf("%s %s", field.Field, field.Code))
	}
	_, answer, absence := contacts.ContactsGet(caller, 999999).Execute()
	missing := errorOf(absence)

	feed, _, err := client.EventsAPI.EventsList(caller).Limit(100).Execute()
	check(err)
	created := []string{}
	for _, one := range feed.Items {
		if one.Event != nil && one.Event.ContactCreatedEvent != nil {
			created = append(created, *one.Event.ContactCreatedEvent.Data.Name.Get())
		}
	}

	check(json.NewEncoder(os.Stdout).Encode(map[string]any{
		"listed":  listed,
		"stage":   moved.Results[0].Contact.Get().Stage,
		"refused": refused,
		"missing": []any{answer.StatusCode, missing.Error, missing.Details.Get()},
		"created": created,
	}))
}

func errorOf(err error) crm.ApiError {
	return err.(*crm.GenericOpenAPIError).Model().(crm.ApiError)
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
