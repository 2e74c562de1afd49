/** The extension for JUnit: see {@link io.coxswain.junit5.CoxswainTest}. */
package io.coxswain.junit5;
