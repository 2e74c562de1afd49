// Drives commands and ports of the container `main` of the Pod `web` with both of client-go's transports.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/httpstream"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/portforward"
	"k8s.io/client-go/tools/remotecommand"
	"k8s.io/client-go/transport/spdy"
	utilexec "k8s.io/client-go/util/exec"
)

var failed = false

func check(name string, err error) {
	if err != nil {
		failed = true
		fmt.Printf("FAILED %s: %v\n", name, err)
		return
	}
	fmt.Printf("ok %s\n", name)
}

func equal(got, want any) error {
	if got == want {
		return nil
	}
	return fmt.Errorf("got %q, want %q", got, want)
}

type cluster struct {
	config *rest.Config
	client *kubernetes.Clientset
}

func main() {
	kubeconfig := flag.String("kubeconfig", "", "")
	port := flag.Int("port", 0, "on which a server repeats what it reads, once that has ended")
	flag.Parse()
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err != nil {
		panic(err)
	}
	c := &cluster{config, kubernetes.NewForConfigOrDie(config)}
	for _, transport := range []string{"spdy", "websocket"} {
		c.commands(transport)
	}
	c.ports("spdy", *port)
	c.ports("websocket", *port)
	if failed {
		os.Exit(1)
	}
}

func (c *cluster) run(transport string, options *corev1.PodExecOptions, streams remotecommand.StreamOptions) error {
	options.Container = "main"
	options.Stdin, options.Stdout, options.Stderr = streams.Stdin != nil, streams.Stdout != nil, streams.Stderr != nil
	options.TTY = streams.Tty
	request := c.client.CoreV1().RESTClient().Post().Resource("pods").Namespace("default").Name("web").SubResource("exec")
	url := request.VersionedParams(options, scheme.ParameterCodec).URL()
	var executor remotecommand.Executor
	var err error
	if transport == "spdy" {
		executor, err = remotecommand.NewSPDYExecutor(c.config, "POST", url)
	} else {
		executor, err = remotecommand.NewWebSocketExecutor(c.config, "GET", url.String())
	}
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	return executor.StreamWithContext(ctx, streams)
}

type sizes chan remotecommand.TerminalSize

func (s sizes) Next() *remotecommand.TerminalSize {
	size, ok := <-s
	if !ok {
		return nil
	}
	return &size
}

func (c *cluster) commands(transport string) {
	command := func(words ...string) *corev1.PodExecOptions { return &corev1.PodExecOptions{Command: words} }
	var out, errs bytes.Buffer
	err := c.run(transport, command("sh", "-c", "echo out; echo err >&2; exit 3"), remotecommand.StreamOptions{Stdout: &out, Stderr: &errs})
	var exit utilexec.CodeExitError
	if errors.As(err, &exit) {
		err = equal(fmt.Sprintf("%d %s%s", exit.Code, out.String(), errs.String()), "3 out\nerr\n")
	} else {
		err = fmt.Errorf("no exit code: %v", err)
	}
	check(transport+" exit code and both outputs", err)

	out.Reset()
	input := strings.Repeat("0123456789", 500_000)
	err = c.run(transport, command("cat"), remotecommand.StreamOptions{Stdin: strings.NewReader(input), Stdout: &out})
	if err == nil && out.String() != input {
		err = fmt.Errorf("%d bytes came back of %d", out.Len(), len(input))
	}
	check(transport+" standard input and its end", err)

	out.Reset()
	queue := make(sizes, 2)
	queue <- remotecommand.TerminalSize{Width: 80, Height: 24}
	queue <- remotecommand.TerminalSize{Width: 100, Height: 30}
	keepOpen, stop := io.Pipe()
	err = c.run(transport, command("sizes"), remotecommand.StreamOptions{Stdin: keepOpen, Stdout: &out, Tty: true, TerminalSizeQueue: queue})
	stop.Close()
	close(queue)
	if err == nil {
		err = equal(out.String(), "tty\r\n80x24\r\n100x30\r\n")
	}
	check(transport+" terminal and its sizes", err)

	err = c.run(transport, command("no-such-program"), remotecommand.StreamOptions{Stdout: io.Discard})
	if err == nil || !strings.Contains(err.Error(), "executable file not found") {
		err = fmt.Errorf("not reported: %v", err)
	} else {
		err = nil
	}
	check(transport+" a program that is not there", err)
}

func (c *cluster) dialer(transport string) (httpstream.Dialer, error) {
	url := c.client.CoreV1().RESTClient().Post().Resource("pods").Namespace("default").Name("web").SubResource("portforward").URL()
	if transport == "websocket" {
		return portforward.NewSPDYOverWebsocketDialer(url, c.config)
	}
	roundTripper, upgrader, err := spdy.RoundTripperFor(c.config)
	if err != nil {
		return nil, err
	}
	return spdy.NewDialer(upgrader, &http.Client{Transport: roundTripper}, "POST", url), nil
}

func (c *cluster) ports(transport string, port int) {
	dialer, err := c.dialer(transport)
	if err != nil {
		check(transport+" port-forward", err)
		return
	}
	stop, ready := make(chan struct{}), make(chan struct{})
	forwarder, err := portforward.New(dialer, []string{fmt.Sprintf("0:%d", port)}, stop, ready, io.Discard, io.Discard)
	if err != nil {
		check(transport+" port-forward", err)
		return
	}
	done := make(chan error, 1)
	go func() { done <- forwarder.ForwardPorts() }()
	select {
	case <-ready:
	case err = <-done:
		check(transport+" port-forward", err)
		return
	}
	ports, _ := forwarder.GetPorts()
	results := make(chan error)
	const connections = 20
	for i := range connections {
		go func() { results <- repeated(ports[0].Local, strings.Repeat(fmt.Sprint(i), 100_000)) }()
	}
	for range connections {
		if one := <-results; one != nil {
			err = one
		}
	}
	close(stop)
	check(transport+" port-forward of many connections, each half closed", errors.Join(err, <-done))
}

func repeated(port uint16, text string) error {
	connection, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return err
	}
	defer connection.Close()
	if _, err = io.WriteString(connection, text); err != nil {
		return err
	}
	if err = connection.(*net.TCPConn).CloseWrite(); err != nil {
		return err
	}
	back, err := io.ReadAll(connection)
	if err == nil && string(back) != text {
		err = fmt.Errorf("%d bytes came back of %d", len(back), len(text))
	}
	return err
}
