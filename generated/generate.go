// Package generated holds what hamc makes of each model in examples: readable
// Go, kept in the repository so that a change of the compiler shows as a change
// of its output. Regenerate it with
//
//	go generate ./generated
//
// Each directory is a package of its own, with the types Data, Params and Model.
package generated

//go:generate go run ../cmd/hamc -o banana/banana.go --pkg banana ../examples/banana.ham
//go:generate go run ../cmd/hamc -o banana_explicit/banana_explicit.go --pkg banana_explicit ../examples/banana_explicit.ham
//go:generate go run ../cmd/hamc -o funnel/funnel.go --pkg funnel ../examples/funnel.ham
//go:generate go run ../cmd/hamc -o gaussian/gaussian.go --pkg gaussian ../examples/gaussian.ham
//go:generate go run ../cmd/hamc -o logistic/logistic.go --pkg logistic ../examples/logistic.ham
//go:generate go run ../cmd/hamc -o logistic_indexed/logistic_indexed.go --pkg logistic_indexed ../examples/logistic_indexed.ham
//go:generate go run ../cmd/hamc -o rats/rats.go --pkg rats ../examples/rats.ham
//go:generate go run ../cmd/hamc -o stochastic_volatility/stochastic_volatility.go --pkg stochastic_volatility ../examples/stochastic_volatility.ham
//go:generate go run ../cmd/hamc -o fitzhugh_nagumo/fitzhugh_nagumo.go --pkg fitzhugh_nagumo ../examples/fitzhugh_nagumo.ham
//go:generate go run ../cmd/hamc -o lotka_volterra/lotka_volterra.go --pkg lotka_volterra ../examples/lotka_volterra.ham
//go:generate go run ../cmd/hamc -o stochastic_volatility_authors/stochastic_volatility_authors.go --pkg stochastic_volatility_authors ../examples/stochastic_volatility_authors.ham
//go:generate go run ../cmd/hamc -o eight_schools/eight_schools.go --pkg eight_schools ../examples/eight_schools.ham
//go:generate go run ../cmd/hamc -o volatility/volatility.go --pkg volatility ../examples/volatility.ham
//go:generate go run ../cmd/hamc -o gaussian_process/gaussian_process.go --pkg gaussian_process ../examples/gaussian_process.ham
//go:generate go run ../cmd/hamc -o blood_groups/blood_groups.go --pkg blood_groups ../examples/blood_groups.ham
//go:generate go run ../cmd/hamc -o garch/garch.go --pkg garch ../examples/garch.ham
//go:generate go run ../cmd/hamc -o arma/arma.go --pkg arma ../examples/arma.ham
//go:generate go run ../cmd/hamc -o local_trend/local_trend.go --pkg local_trend ../examples/local_trend.ham
//go:generate go run ../cmd/hamc -o hidden_markov/hidden_markov.go --pkg hidden_markov ../examples/hidden_markov.ham
