// Prints for each argument a line: it, a tab, and what Go's own resolver finds. `ptr:`, `srv:`, `txt:` and `cname:` ask for other records.
package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
)

var resolver = &net.Resolver{PreferGo: true}

func main() {
	for _, asked := range os.Args[1:] {
		found, err := lookup(context.Background(), asked)
		var dnsError *net.DNSError
		if errors.As(err, &dnsError) && dnsError.IsNotFound {
			found = []string{"nothing"}
		} else if err != nil {
			found = []string{"error:", err.Error()}
		}
		fmt.Printf("%s\t%s\n", asked, strings.Join(found, " "))
	}
}

func lookup(ctx context.Context, asked string) ([]string, error) {
	kind, name, isKind := strings.Cut(asked, ":")
	if !isKind {
		return resolver.LookupHost(ctx, asked)
	}
	switch kind {
	case "ptr":
		names, err := resolver.LookupAddr(ctx, name)
		return withoutDots(names), err
	case "txt":
		return resolver.LookupTXT(ctx, name)
	case "cname":
		target, err := resolver.LookupCNAME(ctx, name)
		return withoutDots([]string{target}), err
	case "srv":
		_, records, err := resolver.LookupSRV(ctx, "", "", name)
		var found []string
		for _, record := range records {
			found = append(found, fmt.Sprintf("%s:%d", strings.TrimSuffix(record.Target, "."), record.Port))
		}
		return found, err
	}
	return nil, fmt.Errorf("unknown: %s", kind)
}

func withoutDots(names []string) []string {
	var found []string
	for _, name := range names {
		found = append(found, strings.TrimSuffix(name, "."))
	}
	return found
}
