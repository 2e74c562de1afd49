package main

import (
	"context"
	"errors"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

func checkHandOver(ctx context.Context, first, second operator, direct client.Client) {
	check("only the leader has worked", onlyOne(ctx, first, second, direct))
	check("the leader stops", first.stops(ctx))
	check("the second manager takes over", takesOver(ctx, second, direct))
	check("the second manager stops", second.stops(ctx))
	check("the lease is free", leaseIsFree(ctx, direct))
}

func onlyOne(ctx context.Context, first, second operator, direct client.Client) error {
	select {
	case <-second.manager.Elected():
		return errors.New("both managers lead")
	default:
	}
	name, err := holder(ctx, direct)
	if err != nil {
		return err
	}
	if name == "" || first.sites.reconciles.Load() == 0 || second.sites.reconciles.Load() != 0 {
		return fmt.Errorf("%q holds the lease; %d and %d reconciles", name, first.sites.reconciles.Load(), second.sites.reconciles.Load())
	}
	return nil
}

func takesOver(ctx context.Context, second operator, direct client.Client) error {
	if err := second.leads(ctx); err != nil {
		return err
	}
	site := newSite("inherited", 2)
	if err := direct.Create(ctx, site); err != nil {
		return err
	}
	if err := eventually(ctx, func() error { return converged(ctx, direct, site.Name, 2) }); err != nil {
		return err
	}
	return removed(ctx, direct, site)
}

func leaseIsFree(ctx context.Context, direct client.Client) error {
	name, err := holder(ctx, direct)
	if err == nil && name != "" {
		err = fmt.Errorf("%s holds it", name)
	}
	return err
}
