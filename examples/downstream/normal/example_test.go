package normal_test

import (
	"context"
	"fmt"
	"log"

	"example.com/downstream/normal"
	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/diagnostics"
)

var y = []float64{5.2, 3.9, 6.1, 4.4, 5.8, 4.9, 7.0, 5.1}

func ExampleByHand() {
	byHand := normal.NewByHand(y)
	model, err := normal.New(normal.Data{N: len(y), Y: y})
	if err != nil {
		log.Fatal(err)
	}

	// Its derivatives against differences of its own functions, and all of it
	// against the generated twin, at points of the unconstrained coordinates.
	points := [][]float64{{0, 0}, {5, 0.3}, {-1, 1.2}, {4, -0.7}}
	derivatives, err := runtime.CheckGradients(byHand, points)
	if err != nil {
		log.Fatal(err)
	}
	twins, err := runtime.Compare(byHand, model, points)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("derivatives agree:", derivatives.Worst() < 1e-8)
	fmt.Println("twins agree:", twins.Worst() < 1e-12)

	// It is sampled like any other.
	result, err := runtime.Sample(context.Background(), byHand, runtime.DefaultOptions(), nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("mu: mean %.0f\n", diagnostics.Mean(result.Column("mu")))
	// Output:
	// derivatives agree: true
	// twins agree: true
	// mu: mean 5
}

// Generated quantities are typed as well.
func ExampleModel_QuantityDraws() {
	model, err := normal.New(normal.Data{N: len(y), Y: y})
	if err != nil {
		log.Fatal(err)
	}
	result, err := runtime.Sample(context.Background(), model, runtime.DefaultOptions(), nil)
	if err != nil {
		log.Fatal(err)
	}
	draws, err := model.QuantityDraws(result)
	if err != nil {
		log.Fatal(err)
	}
	above := diagnostics.Quantity(draws, func(q normal.Quantities) float64 {
		if q.YNew > 5 {
			return 1
		}
		return 0
	})
	fmt.Printf("the next is above 5 with probability %.1f\n", diagnostics.Mean(above))
	// Output:
	// the next is above 5 with probability 0.6
}
