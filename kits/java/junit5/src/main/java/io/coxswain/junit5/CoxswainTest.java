package io.coxswain.junit5;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Gives the tests of a class a Kubernetes cluster, and each test a namespace of its own in it. Parameters of tests, of lifecycle
 * methods and of constructors get
 *
 * <ul>
 *   <li>the {@link io.coxswain.Cluster},
 *   <li>with {@link KubernetesNamespace} the name of the namespace, as a {@code String},
 *   <li>with {@link Kubeconfig} a kubeconfig with that namespace, as a {@code Path},
 *   <li>fabric8's {@code Config}, {@code KubernetesClient} and {@code NamespacedKubernetesClient} with that namespace,
 *   <li>{@code ApiClient} of the official client.
 * </ul>
 *
 * What is given to a test ends with the test. In {@code @BeforeAll} and constructors the namespace is the class's.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@ExtendWith(CoxswainExtension.class)
public @interface CoxswainTest {
  /**
   * Options of {@code coxswain}, such as {@code --nodes=3}. Without any, those of the configuration parameter
   * {@code coxswain.args}, with spaces in between.
   */
  String[] args() default {};

  /** Which tests share the cluster: those of the run with the same options, by default. */
  Sharing cluster() default Sharing.RUN;

  /** Which tests have one cluster. */
  enum Sharing {
    /** All tests with the same options. */
    RUN,
    /** Those of the class, with its nested classes. */
    CLASS,
    /** Each test has its own; there is none in {@code @BeforeAll} and constructors. */
    METHOD
  }
}
