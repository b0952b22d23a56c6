package app

import "net/http"

func (r *running) handler() (http.Handler, error) {
	mux := http.NewServeMux()
	r.health(mux)
	return mux, nil
}
