/** A Kubernetes control plane for tests, in a process that ends with them. */
package io.coxswain;
